import { UsageError } from '../bin/command/errors.ts'
import { runCommand } from '../bin/command/run-command.ts'
import { benchBundles } from './bundles.ts'
import { benchHttp } from './http.ts'
import { benchKeys } from './keys.ts'
import { benchLargeResult } from './large-result.ts'
import { benchLayout } from './layout.ts'
import { benchLoad } from './load.ts'
import { benchLoader } from './loader.ts'
import { benchPublish } from './publish.ts'

const usage = `
Measures parts of the service on this machine against alternatives in the same run.

Usage: npm run bench -- loader [--size <MB>] [--large <MB>] [--inline]
       npm run bench -- bundles
       npm run bench -- http
       npm run bench -- keys [--samples <n>]
       npm run bench -- large-result [--megabytes <n>]
       npm run bench -- publish
       npm run bench -- layout [--rows <n>]
       npm run bench -- load [--minutes <n>] [--polls <n>] [--unended <n>] [--jobs <n>] [--organizations <n>]

  loader          the loader compared with JSON.parse and DuckDB's read_json, on a generated file
  --size <MB>     size of that file (default 200)
  --large <MB>    also load a file of this size; from 1000 on, one of its elements is longer than any string
  --inline        provider groups inline, as in schema 1.x
  bundles         size and import time of each function's bundle, compared with an empty handler and bare SDK clients
  http            a poll and a create compared with a function that does nothing, through the same front end
                  (the local service, or the one given by BENCH_BASE_URL and BENCH_KEY)
  keys            whether response times tell one wrong key from another
  --samples <n>   responses timed per kind of key (default 4000)
  large-result    a search whose result is first one file of over 1 GB, until it is downloaded in smaller files
  --megabytes <n> size of that result (default 1250)
  publish         publish-results for 1, 100 and 1,000 shards, each in a separate process
  layout          bytes that the warehouse stores and searches read, compared with one row per NPI
  --rows <n>      approximate number of those rows, 1 to 49 million (default 24000000)
  load            the service under load: a steady rate of polls, many jobs, searches that always crash
  --minutes <n>   duration of the steady rate (default 10)
  --polls <n>     polls per second (default 40)
  --unended <n>   jobs active throughout (default 4)
  --jobs <n>      jobs to run to completion afterwards (default 10000)
  --organizations <n>  number of organizations that own them (default 5)
  --help          print this
`

const benches: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  loader: benchLoader,
  bundles: benchBundles,
  http: benchHttp,
  keys: benchKeys,
  'large-result': benchLargeResult,
  publish: benchPublish,
  layout: benchLayout,
  load: benchLoad,
}

await runCommand(usage, async ([name = '', ...args]) => {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined
  if (bench === undefined) throw new UsageError(`choose a bench: ${Object.keys(benches).join(', ')}`)
  await bench(args)
})
