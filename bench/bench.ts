import { UsageError } from '../bin/command/errors.ts'
import { runCommand } from '../bin/command/run-command.ts'
import { benchBundles } from './bundles.ts'
import { benchHttp } from './http.ts'
import { benchKeys } from './keys/keys.ts'
import { benchLayout } from './layout/layout.ts'
import { benchLoad } from './load/load.ts'
import { benchLoader } from './loader/loader.ts'
import { benchLargeResult } from './publish/large-result.ts'
import { benchPublish } from './publish/publish.ts'
import { benchSteps } from './steps.ts'

const usage = `
Measures parts of the service on this machine, beside what else could do their work, in one run.

Usage: npm run bench -- loader [--size <MB>] [--large <MB>] [--inline]
       npm run bench -- bundles
       npm run bench -- http
       npm run bench -- keys [--samples <n>]
       npm run bench -- large-result [--megabytes <n>]
       npm run bench -- publish
       npm run bench -- steps
       npm run bench -- layout [--rows <n>]
       npm run bench -- load [--minutes <n>] [--polls <n>] [--unended <n>] [--jobs <n>] [--organizations <n>]

  loader          the loader beside JSON.parse and DuckDB's read_json, over a generated file
  --size <MB>     size of the file that all three read (default 200)
  --large <MB>    also load a file of this size, one element of which no string can hold from 1000 on
  --inline        provider groups in place, as schema 1.x has them
  bundles         bytes and import time of each function's bundle, beside an empty handler and bare SDK clients
  http            a poll and a create beside functions that do nothing, or only make a poll's one read, through the same front
                  (the local service, or the one that BENCH_BASE_URL and BENCH_KEY name)
  keys            whether the time of an answer tells one wrong key from another
  --samples <n>   answers timed of each kind (default 4000)
  large-result    a search whose result comes in one file of over 1 GB, until it is downloaded in smaller ones
  --megabytes <n> size of that result (default 1250)
  publish         publish-results over 1, 100 and 1,000 shards, each in a process of its own
  steps           searches whose start-query waits for the query, beside those that hand it over to await-query
  layout          what the warehouse's tables store and what searches read of them, beside one row an NPI
  --rows <n>      about so many rows of these, 1 to 49 million (default 24000000)
  load            the service under load: a steady rate of polls, many jobs, searches that always crash
  --minutes <n>   how long the rate is held (default 10)
  --polls <n>     polls a second (default 40)
  --unended <n>   jobs under way all the time meanwhile (default 4)
  --jobs <n>      jobs that are then run to their end (default 10000)
  --organizations <n>  whose they are (default 5)
  --help          print this
`

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  loader: benchLoader,
  bundles: benchBundles,
  http: benchHttp,
  keys: benchKeys,
  'large-result': benchLargeResult,
  publish: benchPublish,
  steps: benchSteps,
  layout: benchLayout,
  load: benchLoad,
}

await runCommand(usage, async ([name = '', ...args]) => {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
  if (bench === undefined) throw new UsageError(`name one of ${Object.keys(benches).join(', ')}`)
  await bench(args)
})
