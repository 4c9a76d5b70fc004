import { parseArgs } from 'node:util'
import type { SampleSearch } from '../../local/samples/sample-data.ts'
import { nameCommands } from './packaged-service.ts'

/** The arguments of `rate-search search` for a search. */
export const describeArguments = ({ billing_codes, fee_schedules }: SampleSearch): readonly string[] => [
  ...fee_schedules.flatMap(({ payer, plan }) => ['--payer', payer, '--plan', plan]),
  ...['--code', billing_codes.join()],
]

/** A word as a shell takes it. */
export const quoteWord = (word: string) => (/^[\w,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

const name = { type: 'string' } as const

/**
 * Repeats where a command works, as its arguments say, in each command that a text proposes, so that it can be pasted:
 * `npm run loads -- rollback 1f3c` becomes `npm run loads -- --stage prod rollback 1f3c`.
 *
 * @param text leaves commands alone that say where
 */
export function repeatInstallation(text: string, args: readonly string[] = process.argv.slice(2)): string {
  const { values } = parseArgs({ args: [...args], strict: false, options: { stage: name, data: name } })
  const installation = (['stage', 'data'] as const).flatMap((option) => {
    const value = values[option]
    return typeof value === 'string' ? [`--${option} ${quoteWord(value)} `] : []
  })
  return nameCommands(
    text.replaceAll(/npm run [a-z-]+ -- (?![^;\n]*--(?:stage|data)\b)/g, (command) => command + installation.join('')),
  )
}
