import { chooseCommand } from '../../bin/command/options.ts'
import { runCommand } from '../../bin/command/run-command.ts'
import { benchHostile } from './hostile/hostile.ts'
import { benchLoader } from './loader/loader.ts'
import { benchRelease } from './release/release.ts'
import { benchTraffic } from './traffic/traffic.ts'

const usage = `
Measures the service on this machine, side by side with alternatives. Without arguments, with the last release.

Usage: npm run bench -- [release] [--size <MB>] [--rounds <n>] [--release <folder>]
       npm run bench -- loader [--size <MB>] [--large <MB>] [--groups <kind>] [--workers <n>] [--seed <n>] [--rounds <n>]
       npm run bench -- hostile
       npm run bench -- traffic [--minutes <n>] [--polls <n>] [--unended <n>] [--jobs <n>] [--organizations <n>]

  release         loads, searches, summaries, polls and starts, compared with the last release by processor time; fails if
                  anything takes more than 1.15 of its time. Installs the release, unless --release names a checkout
  loader          the loader, compared with JSON.parse and DuckDB's read_json, over a generated file
  --size <MB>     size of the file that all three read (default 200; with release, of each file: 50)
  --large <MB>    also load a file of this size; from 1000, one element exceeds the maximum string length
  --groups <kind> referenced as in schema 2.x (default), or inline as in 1.x: shared by many rates, or unique to each
  --workers <n>   also load twice as many files, in one process and in <n> workers
  --seed <n>      makes other files of the same kind (default 1)
  --rounds <n>    how often all are measured in turn; medians are printed (default 3)
  hostile         files that are made to cost more than their size, beside honest ones of the same size
  traffic         the service under traffic: a steady rate of polls, then many jobs
  --minutes <n>   duration of the steady rate (default 10)
  --polls <n>     polls per second (default 40)
  --unended <n>   active jobs at any time during it (default 4)
  --jobs <n>      jobs to run to their end afterwards (default 10000)
  --organizations <n>  number of organizations (default 5)
  --help          print this
`

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  hostile: benchHostile,
  loader: benchLoader,
  release: benchRelease,
  traffic: benchTraffic,
}

await runCommand(usage, async (words) => {
  const { command, args } = chooseCommand(benches, words.length === 0 ? ['release'] : words)
  await command(args)
})
