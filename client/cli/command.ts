import { Progress } from '../command-line/progress.ts'
import type { World } from '../command-line/world.ts'
import { ApiError } from '../errors.ts'
import { isLoopbackHost } from '../network/proxies.ts'
import type { RateSearchClient } from '../rate-search-client.ts'
import type { Retry } from '../transport.ts'
import { connect, readAccess, readArguments, readJobId } from './options.ts'

/** One command of the command line. */
export interface Command {
  readonly name: string
  /** One line of the overview. */
  readonly summary: string
  /** The help of the command, with examples. */
  readonly usage: string
  /** @throws UsageError, CommandFailed and the errors of the client */
  readonly run: (args: readonly string[], world: World, version: string) => Promise<void>
}

/** The client, the progress line and the process, which most commands need. */
export interface Session {
  readonly client: RateSearchClient
  readonly progress: Progress
  readonly world: World
  /** True if results are printed as JSON. */
  readonly asJson: boolean
}

/** Runs `use` with a client and a progress line, which is cleared afterwards. */
export async function withSession(
  world: World,
  values: { readonly url?: string | undefined; readonly json: boolean; readonly quiet: boolean },
  use: (session: Session) => Promise<void>,
): Promise<void> {
  const access = readAccess(world, values.url)
  const client = connect(access, { onRetry: (retry) => progress.say(describeRetry(retry)) })
  const progress = new Progress(world, values.quiet)
  const { protocol, hostname } = new URL(access.url)
  if (protocol === 'http:' && !isLoopbackHost(hostname))
    progress.warn(`http://${hostname} is not encrypted: others on the network can read the API key; use https://`)
  progress.show(() => `waiting for ${hostname}`)
  try {
    await use({ client, progress, world, asJson: values.json })
  } finally {
    progress.end()
  }
}

/** Describes a retry, so that a command whose service is down does not seem to hang. */
export function describeRetry({ error, retry, retries, seconds }: Retry): string {
  const fault = error instanceof ApiError ? `the service answered ${error.status} (${error.type})` : error.message
  return `${fault}; trying again in ${Math.max(1, Math.round(seconds))} s (${retry} of ${retries})`
}

/** Prints a result as text, or as one line of JSON. */
export function printResult({ world, asJson, progress }: Session, facts: unknown, text: string): void {
  progress.end()
  world.output.write(asJson ? `${JSON.stringify(facts)}\n` : `${text}\n`)
}

/** The help text that all commands share. */
export const sharedUsage = `  --url <address>   the service (default: RATE_SEARCH_URL)
  --json            print results, and an error, as JSON
  -q, --quiet       print results, warnings and errors, and no progress
  -h, --help        print this help

RATE_SEARCH_URL and RATE_SEARCH_KEY name the service and the API key. Results go to standard output, progress to
standard error. Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 the search itself failed (or, with --fail-if-empty,
found nothing), 130 stopped by Ctrl-C.`

/**
 * A command whose only argument is the id of a search.
 *
 * @param explanation the first sentences of its help
 * @param act does the work, and returns the facts for `--json` and the text for people
 */
export const commandOnSearch = (
  name: string,
  summary: string,
  explanation: string,
  act: (client: RateSearchClient, jobId: string, signal: AbortSignal) => Promise<readonly [unknown, string]>,
): Command => ({
  name,
  summary,
  usage: `
${explanation}

Usage: rate-search ${name} <job id>

${sharedUsage}

Examples:
  rate-search ${name} 2a39443a-064f-4d78-b562-c11683209ccf
  rate-search ${name} 2a39443a-064f-4d78-b562-c11683209ccf --json
`,
  async run(args, world) {
    const { values, positionals } = readArguments(args, {}, true)
    const jobId = readJobId(positionals)
    await withSession(world, values, async (session) =>
      printResult(session, ...(await act(session.client, jobId, world.signal))),
    )
  },
})
