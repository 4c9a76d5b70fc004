import { billingCodePages } from '../../../contract/limits.ts'
import { UsageError } from '../../command-line/command-errors.ts'
import { formatTable } from '../../command-line/table.ts'
import { takeFirst } from '../../take-first.ts'
import { type Command, printResult, sharedUsage, withSession } from '../command.ts'
import { readArguments, readWords } from '../options.ts'

/** Maximum number of codes that are printed. More help nobody: another word finds the right ones. */
const maxShownCodes = billingCodePages.max

export const billingCodesCommand: Command = {
  name: 'billing-codes',
  summary: 'find billing codes by words of their names',
  usage: `
Finds billing codes by words of the names that payers publish, or by the beginning of the code. Prints up to ${maxShownCodes}.

Usage: rate-search billing-codes <words> [--type <type>]

  <words>           words of a name, or beginnings of words, all of them; or the beginning of a code
  --type <type>     only codes of this type, such as CPT
${sharedUsage}

Examples:
  rate-search billing-codes 'knee replacement'
  rate-search billing-codes 7372 --type CPT
  rate-search billing-codes mri --json
`,
  async run(args, world) {
    const { values, positionals } = readArguments(args, { type: { type: 'string' } }, true)
    const q = readWords(positionals)
    if (q === '') throw new UsageError('give words of a name, or the beginning of a code')
    await withSession(world, values, async (session) => {
      const { type } = values
      const query = { q, pageSize: maxShownCodes, ...(type !== undefined && { billing_code_type: type }) }
      const codes = await takeFirst(session.client.billingCodes(query, { signal: world.signal }), maxShownCodes + 1)
      const shown = codes.slice(0, maxShownCodes)
      if (codes.length > maxShownCodes) session.progress.say('more codes match: add a word')
      if (codes.length === 0)
        session.progress.say(
          'nothing matches: use fewer words, or only their first letters; files loaded without descriptions have no names',
        )
      const rows = shown.map((code) => [code.billing_code_type, code.billing_code, code.name, code.publisher_count])
      printResult(session, { billing_codes: shown }, formatTable(['TYPE', 'CODE', 'NAME', 'PUBLISHERS'], rows))
    })
  },
}

export const specialtiesCommand: Command = {
  name: 'specialties',
  summary: 'find specialties of providers by words of their names',
  usage: `
Finds the taxonomy codes of specialties by words of their names, or by the beginning of the code. Without words, lists
all.

Usage: rate-search specialties [<words>]

  <words>           words of a name or its group, or beginnings of words, all of them; or the beginning of a code
${sharedUsage}

Examples:
  rate-search specialties
  rate-search specialties radiology
  rate-search specialties 2085 --json
`,
  async run(args, world) {
    const { values, positionals } = readArguments(args, {}, true)
    const q = readWords(positionals)
    await withSession(world, values, async (session) => {
      const query = q === '' ? {} : { q }
      const specialties = await takeFirst(
        session.client.specialties(query, { signal: world.signal }),
        Number.POSITIVE_INFINITY,
      )
      if (specialties.length === 0)
        session.progress.say(
          q === ''
            ? 'no specialties are loaded: the operator loads them with npm run nppes -- specialties'
            : 'nothing matches: use fewer words, or only their first letters, if specialties are loaded',
        )
      const rows = specialties.map(({ code, name, grouping }) => [code, name, grouping])
      printResult(session, { specialties }, formatTable(['CODE', 'NAME', 'GROUP'], rows))
    })
  },
}
