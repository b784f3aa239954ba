/** What Python's manifests and lock files come to. */
import { describe, it } from 'vitest';
import { expectPackages, type TreeCase } from './measure.js';

const PYTHON: Readonly<Record<string, TreeCase>> = {
  'requirements with includes, extras, markers, hashes, options and pins': {
    files: {
      'requirements.txt': `# runtime
-r requirements/base.txt
--index-url https://example.org/simple
Django[argon2]==4.2.1 ; python_version >= "3.8"
flask_login~=0.6 # comment
zope.interface >=5,<6 \\
    --hash=sha256:abc
-e ./plugins/one
-e git+https://example.org/x.git@v1#egg=my_x
`,
      'requirements/base.txt': 'Requests>=2.31\n',
      'requirements-dev.txt': '-c constraints.txt\npytest==8.0.0\n',
      'constraints.txt': 'not-a-dependency==1\n',
    },
    packages: [
      'pkg:pypi/django@4.2.1 direct runtime unlocked',
      'pkg:pypi/requests direct runtime unlocked',
      'pkg:pypi/flask-login direct runtime unlocked',
      'pkg:pypi/my-x direct runtime unlocked',
      'pkg:pypi/pytest@8.0.0 direct dev unlocked',
      'pkg:pypi/zope-interface direct runtime unlocked',
    ],
    local: 1,
  },
  'setup.cfg': {
    files: {
      'setup.cfg': `[metadata]
name = x
[options]
install_requires =
    attrs>=22
    importlib-metadata; python_version<"3.8"
[options.extras_require]
test = pytest
http = httpx>=0.25
`,
    },
    packages: [
      'pkg:pypi/attrs direct runtime unlocked',
      'pkg:pypi/httpx direct optional unlocked',
      'pkg:pypi/importlib-metadata direct runtime unlocked',
      'pkg:pypi/pytest direct dev unlocked',
    ],
  },
  'uv, with PEP 621 extras and PEP 735 groups': {
    files: {
      'pyproject.toml': `[project]
name = "app"
version = "0.1"
dependencies = ["httpx>=0.27", "sibling"]
[project.optional-dependencies]
redis = ["redis>=5"]
[dependency-groups]
dev = ["pytest>=8", {include-group = "lint"}]
lint = ["ruff"]
[tool.uv.sources]
sibling = { workspace = true }
`,
      'uv.lock': `version = 1
[[package]]
name = "app"
version = "0.1"
source = { editable = "." }
dependencies = [{ name = "httpx" }, { name = "sibling" }]
[package.optional-dependencies]
redis = [{ name = "redis" }]
[package.dev-dependencies]
dev = [{ name = "pytest" }, { name = "ruff" }]
[[package]]
name = "sibling"
version = "0.1"
source = { virtual = "sibling" }
[[package]]
name = "httpx"
version = "0.27.2"
source = { registry = "https://example.org/simple" }
dependencies = [{ name = "idna" }]
[[package]]
name = "idna"
version = "3.10"
source = { registry = "https://example.org/simple" }
[[package]]
name = "redis"
version = "5.2.0"
source = { registry = "https://example.org/simple" }
[[package]]
name = "pytest"
version = "8.3.3"
source = { registry = "https://example.org/simple" }
dependencies = [{ name = "pluggy" }, { name = "idna" }]
[[package]]
name = "pluggy"
version = "1.5.0"
source = { registry = "https://example.org/simple" }
[[package]]
name = "ruff"
version = "0.7.0"
source = { registry = "https://example.org/simple" }
`,
    },
    packages: [
      'pkg:pypi/httpx@0.27.2 direct runtime',
      'pkg:pypi/idna@3.10 transitive runtime',
      'pkg:pypi/pluggy@1.5.0 transitive dev',
      'pkg:pypi/pytest@8.3.3 direct dev',
      'pkg:pypi/redis@5.2.0 direct optional',
      'pkg:pypi/ruff@0.7.0 direct dev',
    ],
    local: 1,
  },
  'Poetry, whose lock file spells names its own way': {
    files: {
      'pyproject.toml': `[tool.poetry]
name = "app"
[tool.poetry.dependencies]
python = "^3.10"
Typing_Extensions = "4.9.0"
requests = { version = "^2.31", optional = true }
local-lib = { path = "../lib" }
[tool.poetry.group.test.dependencies]
pytest = "*"
`,
      'poetry.lock': `[[package]]
name = "typing-extensions"
version = "4.9.0"
optional = false
groups = ["main"]
[[package]]
name = "requests"
version = "2.31.0"
optional = true
groups = ["main"]
[package.dependencies]
certifi = ">=2017"
[[package]]
name = "certifi"
version = "2024.2.2"
optional = true
groups = ["main"]
[[package]]
name = "pytest"
version = "7.4.0"
category = "dev"
optional = false
`,
    },
    packages: [
      'pkg:pypi/certifi@2024.2.2 transitive optional',
      'pkg:pypi/pytest@7.4.0 direct dev',
      'pkg:pypi/requests@2.31.0 direct optional',
      'pkg:pypi/typing-extensions@4.9.0 direct runtime',
    ],
    local: 1,
  },
  'Poetry, whose lock file holds for its own folder only': {
    files: {
      'pyproject.toml': '[tool.poetry.dependencies]\ncleo = "^2"\n',
      'poetry.lock': '[[package]]\nname = "cleo"\nversion = "2.1.0"\ngroups = ["main"]\n',
      'tests/fixture/pyproject.toml': '[tool.poetry.dependencies]\ncleo = "0.6.0"\n',
    },
    packages: ['pkg:pypi/cleo@0.6.0 direct runtime unlocked', 'pkg:pypi/cleo@2.1.0 direct runtime'],
  },
  Pipenv: {
    files: {
      Pipfile: '[packages]\nrequests = "*"\nurllib3 = {version = "==2.0.7"}\n[dev-packages]\nblack = ">=23"\n',
      'Pipfile.lock': JSON.stringify({
        _meta: {},
        default: { requests: { version: '==2.31.0' }, urllib3: { version: '==2.0.7' }, idna: { version: '==3.6' } },
        develop: { black: { version: '==23.12.1' }, idna: { version: '==3.6' } },
      }),
    },
    packages: [
      'pkg:pypi/black@23.12.1 direct dev',
      'pkg:pypi/idna@3.6 transitive runtime',
      'pkg:pypi/requests@2.31.0 direct runtime',
      'pkg:pypi/urllib3@2.0.7 direct runtime',
    ],
  },
};

describe('a project of Python', () => {
  it.each(Object.entries(PYTHON))('is read from %s', async (_title, tree) => expectPackages(tree));
});
