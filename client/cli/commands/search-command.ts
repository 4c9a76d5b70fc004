import type { SearchRequest } from '../../api.ts'
import { ApiError, SearchFailed } from '../../errors.ts'
import type { Command, Session } from '../command.ts'
import { printResult, sharedUsage, withSession } from '../command.ts'
import { readAccess, readArguments, refusePositionals, sharedOptions } from '../options.ts'
import { filterOptions, nameSearch, readSearchRequest } from '../search-request.ts'
import type { SearchState } from '../search-state.ts'
import { removeOldStates, SearchStateFile } from '../search-state.ts'
import { CommandFailed } from '../usage-error.ts'
import { fetchFiles, followSearch } from './finish-search.ts'

/** The help text of the filters. */
export const filterUsage = `  --payer <name>    a payer; each --plan after it is one of its plans
  --plan <name>     a plan of the payer before it; repeat both for more
  --npi <list>      providers: NPIs of ten digits, or 0 for rates of a whole TIN
  --tin <list>      providers by TIN, which begin with their zeros
  --code <list>     billing codes: CPT, HCPCS, MS-DRG, revenue codes, …
                    A list is values with commas, @file or - for standard input; files are lines or CSV, with or
                    without a header. A rate must match every list; at least one of the three is needed.`

const usage = `
Searches rates and downloads the files of the result.

Usage: rate-search search --payer <name> --plan <name> [--npi <list>] [--tin <list>]
                          [--code <list>] [--out <folder>]

${filterUsage}
  --out <folder>    where the files go (default: the current folder)
  --no-wait         create the search, print its id, and leave it
  --again           create the search anew, though this command has before
${sharedUsage}

The same command goes on where it was after Ctrl-C, a crash or a reboot, and never pays for a second query. What it must
remember is in RATE_SEARCH_STATE (default: ~/.local/state/rate-search), without the key, and is forgotten after a year.

Examples:
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --code 99213,27447 --out rates/
  rate-search search --payer 'Blue Harbor Health' --plan 'Harbor PPO Gold' --npi @npis.csv --out rates/
  cut -d, -f2 claims.csv | rate-search search --payer 'Summit Ridge Insurance' --plan 'Ridge Choice PPO' --code -
`

export const searchCommand: Command = {
  name: 'search',
  summary: 'search rates and download the files of the result',
  usage,
  async run(args, world) {
    const { values, tokens, positionals } = readArguments({
      args: [...args],
      options: {
        ...sharedOptions,
        ...filterOptions,
        out: { type: 'string', default: '.' },
        again: { type: 'boolean', default: false },
        'no-wait': { type: 'boolean', default: false },
      },
      allowPositionals: true,
      tokens: true,
    })
    refusePositionals(positionals)
    const access = readAccess(world, values.url)
    const request = await readSearchRequest(values, tokens, world)
    const state = new SearchStateFile(world, nameSearch(access, request))
    await removeOldStates(world)
    await withSession(world, values, async (session) => {
      const jobId = await createOnce(session, state, request, values.again)
      if (values['no-wait']) {
        printResult(session, { job_id: jobId }, jobId)
        return
      }
      await finish(session, state, jobId)
      await fetchFiles(session, jobId, values.out)
    })
  },
}

/** Creates the search, or finds the one that an earlier run of the command created. */
async function createOnce(
  { client, progress, world }: Session,
  file: SearchStateFile,
  request: SearchRequest,
  isAgain: boolean,
): Promise<string> {
  if (isAgain) await file.remove()
  const fresh: SearchState = { idempotency_key: world.newId() }
  const state = (await file.read()) ?? (await file.begin(fresh))
  if (state.job_id !== undefined) {
    if (state.error !== undefined) {
      progress.say(`This search has failed before as ${state.job_id}; --again creates it anew.`)
      throw new SearchFailed({ ...state, ...noTimes, job_id: state.job_id, status: 'failed', error: state.error })
    }
    progress.say(`going on with search ${state.job_id}; --again creates it anew`)
    return state.job_id
  }
  try {
    const { job_id } = await client.create(request, { idempotencyKey: state.idempotency_key, signal: world.signal })
    await file.write({ ...state, job_id })
    progress.say(`created search ${job_id}`)
    return job_id
  } catch (error) {
    // No search was created, so there is nothing to resume.
    if (error instanceof ApiError && error.status >= 400 && error.status < 429) await file.remove()
    throw error
  }
}

const noTimes = { created_at: '', status_url: '' }

async function finish(session: Session, file: SearchStateFile, jobId: string): Promise<void> {
  try {
    await followSearch(session, jobId)
  } catch (error) {
    const state = await file.read()
    if (error instanceof SearchFailed && state !== undefined) await file.write({ ...state, error: error.message })
    if (error instanceof ApiError && error.type === 'not_found')
      throw new CommandFailed(
        `search ${jobId} is gone: it was deleted, or the time for which results are kept is over; --again creates it anew`,
      )
    throw error
  }
}
