# One image for the front end and the workers; docker-compose.yml says which is which.
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY tsconfig.json ./
COPY build build
COPY src src
COPY workers workers
RUN npm run build && npm prune --omit=dev

FROM node:20.20.2-bookworm-slim
# The scanner asks git which files are tracked. The mounted workspace belongs to the host's user, whom git must trust.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/* \
  && git config --system --add safe.directory /workspace \
  # What a volume mounted here holds is the node user's, as this is.
  && install -d -o node -g node /var/lib/longhaul
WORKDIR /app
ENV NODE_ENV=production HOME=/tmp
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bundle bundle
USER node
EXPOSE 3000 9100
# `doctor` fails when Redis cannot be used, which is what makes either role of this image useless.
# Quick: it loads no worker, which would be much to do every half minute.
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s --retries=3 CMD ["node", "bundle/src/main.js", "doctor", "--quick"]
ENTRYPOINT ["node", "bundle/src/main.js"]
CMD ["stdio"]
