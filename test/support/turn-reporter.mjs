/** Loaded into a server under test: at SIGUSR2 logs the most processor time that one turn of its event loop took since the last time. */
const LOOK_MS = 5;
let before = process.cpuUsage();
let longestMs = 0;

/** Between two looks lies at most one turn that is longer than the time between them; processor time is the same on a busy machine. */
function look() {
  const { user, system } = process.cpuUsage(before);
  before = process.cpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1_000);
}

setInterval(look, LOOK_MS).unref();
process.on('SIGUSR2', () => {
  look();
  process.stderr.write(`${JSON.stringify({ level: 30, msg: 'longest turn', longestMs })}\n`);
  longestMs = 0;
});
