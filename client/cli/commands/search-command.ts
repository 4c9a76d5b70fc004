import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { connect, readAccess, readArguments } from '../options.ts'
import { filterOptions, nameSearch, readSearchRequest } from '../search-request.ts'
import { removeOldStates, SearchStateFile } from '../search-state.ts'
import { fetchFiles, followSearch, prepareFolder, resultOptions, resultUsage } from './finish-search.ts'
import { startOnce } from './start-search.ts'

/** The help text of the filters. */
export const filterUsage = `  --payer <name>    a payer; each --plan after it is one of its plans
  --plan <name>     a plan of the payer before it; repeat both for more
  --plan-id <id>    every plan of this EIN or HIOS id, in place of --payer and --plan; repeat it for more
  --npi <list>      providers: NPIs of ten digits, or 0 for rates of a whole TIN
  --tin <list>      providers by TIN, which begin with their zeros
  --code <list>     billing codes: CPT, HCPCS, MS-DRG, revenue codes, …
  --state <list>    only providers whose practice is there, by two letters; these three need NPPES in the service
  --zip <list>      only providers whose practice is there, by five digits
  --taxonomy <list> only providers of these specialties, by NUCC codes of ten characters
                    A list is values with commas, @file or - for standard input; files are lines or CSV, with or
                    without a header. A rate must match every list; at least one is needed.
  --as-of <day>     what could be searched at the end of this day (YYYY-MM-DD, UTC), not now`

const usage = `
Searches rates and downloads the files of the result.

Usage: rate-search search --payer <name> --plan <name> [--npi <list>] [--tin <list>]
                          [--code <list>] [--state <list>] [--out <folder>] [--if-newer]

${filterUsage}
${resultUsage}
  --if-newer        create the search anew if it failed, if newer rates were loaded since, or if other plans
                    have its plan ids; for cron
  --again           create the search anew in any case
  --no-wait         create the search, print its id, and leave it
${sharedUsage}

The same command goes on where it was after Ctrl-C, a crash or a reboot, and pays for no second query while the service
keeps the result: it gives the same rows again, and warns if newer rates were loaded. Give each run of a cron job
--if-newer and a folder of its own. What a command must remember is in RATE_SEARCH_STATE (default:
~/.local/state/rate-search), without the key, and is forgotten after a year.

Examples:
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213,27447 --out rates/
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --npi @npis.csv --out rates/
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code @codes.txt --if-newer \\
    --fail-if-empty --out "rates/$(date +%F)"
  rate-search search --plan-id 00-1234567 --code 73721 --state OR,WA --taxonomy 207X00000X --out rates/
  cut -d, -f2 claims.csv | rate-search search --payer 'Summit Ridge Insurance' --plan 'Ridge Choice PPO' --code -
`

export const searchCommand: Command = {
  name: 'search',
  summary: 'search rates and download the files of the result',
  usage,
  async run(args, world) {
    const flag = { type: 'boolean', default: false } as const
    const flags = { again: flag, 'if-newer': flag, 'no-wait': flag }
    const { values, tokens } = readArguments(args, { ...filterOptions, ...resultOptions, ...flags })
    const access = readAccess(world, values.url)
    const request = await readSearchRequest(values, tokens, world)
    const state = new SearchStateFile(world, nameSearch(access, request))
    await removeOldStates(world)
    if (!values['no-wait']) await prepareFolder(values.out)
    await withSession(world, values, async (session) => {
      // The search goes on without this answer, so it is asked for once and not for long.
      const asking = connect(access, { retries: 0, timeoutSeconds: 5 })
      const reuse = values.again ? 'none' : values['if-newer'] ? 'current' : 'each'
      const { jobId, reused, estimate } = await startOnce(session, asking, state, request, reuse)
      if (values['no-wait']) {
        printResult(session, { job_id: jobId, reused }, jobId)
        return
      }
      await followSearch(session, jobId, estimate)
      await fetchFiles(session, jobId, values, { reused })
    })
  },
}
