import { providerPages } from '../../../contract/limits.ts'
import type { FoundProviders } from '../../api.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { readNumber } from '../../command-line/parse-options.ts'
import { formatTable } from '../../command-line/table.ts'
import type { ProvidersQuery } from '../../list-calls.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { readArguments, readWords } from '../options.ts'

export const providersCommand: Command = {
  name: 'providers',
  summary: 'find providers: who an NPI is, or words of a name in a place',
  usage: `
Finds providers in the month of NPPES that the service has loaded: who an NPI is, or the providers with words of a name
in a ZIP code or a state. Prints their NPIs, as --npi of rate-search search takes them.

Usage: rate-search providers <NPI>
       rate-search providers [<words>] --zip <ZIP code> [--taxonomy <code>]
       rate-search providers <words> --state <state> [--taxonomy <code>]

  <words>            words of a name, or beginnings of words, all of them
  --zip <ZIP code>   only providers with a practice there: five digits
  --state <state>    only providers with a practice there: two letters
  --taxonomy <code>  only providers of this primary specialty; rate-search specialties finds codes
  --limit <number>   maximum number of providers, 1 to ${providerPages.max} (default: ${providerPages.default})
${sharedUsage}

Examples:
  rate-search providers jankowski --state OR
  rate-search providers --zip 97205 --taxonomy 207X00000X
  rate-search providers 1000100010 --json
`,
  async run(args, world) {
    const filters = {
      zip: { type: 'string' },
      state: { type: 'string' },
      taxonomy: { type: 'string' },
      limit: { type: 'string' },
    } as const
    const { values, positionals } = readArguments(args, filters, true)
    const query = readQuery(positionals, values)
    await withSession(world, values, async (session) => {
      const answer = await session.client.providers(query, { signal: world.signal })
      const remark = remarkOn(answer, query)
      if (remark !== undefined) session.progress.say(remark)
      const rows = answer.providers.map(({ npi, name, taxonomy, specialty, city, state, zip }) =>
        [npi, name, specialty ?? taxonomy, city, state, zip].map((value) => value ?? ''),
      )
      printResult(session, answer, formatTable(['NPI', 'NAME', 'SPECIALTY', 'CITY', 'STATE', 'ZIP'], rows))
    })
  },
}

interface Values {
  readonly zip?: string | undefined
  readonly state?: string | undefined
  readonly taxonomy?: string | undefined
  readonly limit?: string | undefined
}

/** @throws UsageError for a wrong limit; the service checks the others */
function readQuery(positionals: readonly string[], { zip, state, taxonomy, limit }: Values): ProvidersQuery {
  const words = readWords(positionals)
  const isNpi = /^\d{10}$/.test(words)
  if (words === '' && zip === undefined && state === undefined)
    throw new UsageError('give an NPI, a --zip, or words of a name with a --state')
  return {
    ...(isNpi && { npi: words }),
    ...(!isNpi && words !== '' && { q: words }),
    ...(zip !== undefined && { zip }),
    ...(state !== undefined && { state }),
    ...(taxonomy !== undefined && { taxonomy }),
    ...(limit !== undefined && { limit: readNumber('--limit', limit, 1, providerPages.max) }),
  }
}

/** Says why there may be more providers, or why there are none. */
function remarkOn(answer: FoundProviders, { npi }: ProvidersQuery): string | undefined {
  const { providers, nppes_month: month, stopped_by: stoppedBy } = answer
  if (stoppedBy === 'limit') return 'more providers match: add a word or a ZIP code'
  if (stoppedBy !== null) return 'not everything was looked at: add a ZIP code, and more providers may match'
  if (providers.length > 0) return undefined
  if (npi !== undefined) return `NPPES ${month} has no active NPI ${npi}`
  return `no provider of NPPES ${month} matches: use fewer words, or only their first letters`
}
