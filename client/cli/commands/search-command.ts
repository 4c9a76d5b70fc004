import { maxResultRows, writeLimit } from '../../../contract/limits.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { connect, readAccess, readArguments } from '../options.ts'
import {
  boundOptions,
  boundUsage,
  filterOptions,
  nameSearch,
  partOptions,
  readBound,
  readParts,
  readSearchRequest,
} from '../search-request.ts'
import { removeOldStates, SearchStateFile } from '../search-state.ts'
import { fetchFiles, followSearch, prepareFolder, resultOptions, resultUsage } from './finish-search.ts'
import { type Reuse, startOnce } from './start-search.ts'

/** The help text of the filters. */
export const filterUsage = `  --payer <name>    a payer; each --plan after it is one of its plans
  --plan <name>     a plan of the payer before it; repeat both for more
  --plan-id <id>    every plan with this EIN or HIOS id, instead of --payer and --plan; can be repeated
  --npi <list>      providers by NPI, ten digits; 0 means rates of a whole TIN
  --tin <list>      providers by TIN, with leading zeros
  --code <list>     billing codes: CPT, HCPCS, MS-DRG, revenue codes, …
  --network <name>  rates of this network, exactly as rows have its name; can be repeated
  --state <list>    only providers whose practice is in these states, by two letters
  --zip <list>      only providers whose practice is in these ZIP codes, by five digits
  --taxonomy <list> only providers of these specialties, by NUCC codes of ten characters
                    (--state, --zip and --taxonomy work only if the service has loaded NPPES)
                    A list is values with commas, @file, or - for standard input; files are lines or CSV, with or
                    without a header. A rate must match every list; at least one list is needed.
  --as-of <day>     search the rates that were active at the end of this day (YYYY-MM-DD, UTC)`

/** The options that decide whether the search of an earlier run is used again. */
export const reuseOptions = {
  again: { type: 'boolean', default: false },
  'if-newer': { type: 'boolean', default: false },
} as const

/** The help text of these options. */
export const reuseUsage = `  --if-newer        run the search again if it failed, if newer rates have been loaded since, or if its plan ids
                    now belong to other plans; for cron
  --again           run the search again in any case`

const usage = `
Searches rates and downloads the files of the result.

Usage: rate-search search --payer <name> --plan <name> [--npi <list>] [--tin <list>]
                          [--code <list>] [--state <list>] [--out <folder>] [--if-newer]

${filterUsage}
  --columns <names> only these columns of the result, with commas; rows that are then alike stay apart
  --limit <n>       any n rows at most, 1 to ${writeLimit(maxResultRows)}; a warning says if there are more
${boundUsage}
${resultUsage}
${reuseUsage}
  --no-wait         create the search, print its id, and exit without waiting
${sharedUsage}

Run the same command again after Ctrl-C, a crash or a reboot: it resumes without paying for a second query while the
service keeps the result, returns the same rows, and warns if newer rates have been loaded since. In a cron job, use
--if-newer and a new folder for each run. The state of a search is stored in RATE_SEARCH_STATE (default:
~/.local/state/rate-search), without the key, and removed after a year.

Examples:
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213,27447 --out rates/
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --npi @npis.csv --out rates/
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code @codes.txt --if-newer \\
    --fail-if-empty --out "rates/$(date +%F)"
  rate-search search --plan-id 00-1234567 --code 73721 --state OR,WA --taxonomy 207X00000X --out rates/
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213 --limit 10 \\
    --columns billing_code,tin_value,negotiated_rate --out sample/
  cut -d, -f2 claims.csv | rate-search search --payer 'Summit Ridge Insurance' --plan 'Ridge Choice PPO' --code -
`

export const searchCommand: Command = {
  name: 'search',
  summary: 'search rates and download the files of the result',
  usage,
  async run(args, world) {
    const flags = { ...reuseOptions, 'no-wait': { type: 'boolean', default: false } } as const
    const { values, tokens } = readArguments(args, {
      ...filterOptions,
      ...partOptions,
      ...boundOptions,
      ...resultOptions,
      ...flags,
    })
    const access = readAccess(world, values.url)
    const request = { ...(await readSearchRequest(values, tokens, world)), ...readParts(values), ...readBound(values) }
    const state = new SearchStateFile(world, nameSearch(access, request))
    await removeOldStates(world)
    if (!values['no-wait']) await prepareFolder(values.out)
    await withSession(world, values, async (session) => {
      // The search does not depend on the estimate, so it is requested once, with a short timeout.
      const estimator = connect(access, { retries: 0, timeoutSeconds: 5 })
      const reuse = chooseReuse(values.again, values['if-newer'])
      const { jobId, reused, estimate } = await startOnce(session, request, { estimator, file: state, reuse })
      if (values['no-wait']) {
        printResult(session, { job_id: jobId, reused }, jobId)
        return
      }
      await followSearch(session, jobId, estimate)
      await fetchFiles(session, jobId, values, { reused })
    })
  },
}

/** Returns the searches of earlier runs that a command may continue. */
export function chooseReuse(isAgain: boolean, isIfNewer: boolean): Reuse {
  if (isAgain) return 'none'
  return isIfNewer ? 'current' : 'each'
}
