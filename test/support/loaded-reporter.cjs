/** Preloaded into a process, writes down at its end which packages it has loaded: `LOADED_REPORT` names a folder. */
const { writeFileSync } = require('node:fs');
const Module = require('node:module');

const folder = process.env.LOADED_REPORT;
const names = new Set();
const load = Module._load;
Module._load = function seen(request, ...more) {
  names.add(request);
  return load.call(this, request, ...more);
};
process.on('exit', () => {
  for (const path of Object.keys(Module._cache)) names.add(path);
  const kind = process.argv[1]?.includes('workers/main') ? 'worker' : 'other';
  writeFileSync(`${folder}/${kind}-${process.pid}`, [...names].join('\n'));
});
