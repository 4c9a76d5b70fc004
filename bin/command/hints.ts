import { parseArgs } from 'node:util'
import { quoteWord } from './cli-arguments.ts'

const name = { type: 'string' } as const

/**
 * Repeats where a command works, as its arguments say, in each command that a text proposes, so that it can be pasted:
 * `npm run loads -- rollback 1f3c` becomes `npm run loads -- --stage prod rollback 1f3c`.
 *
 * @param text leaves commands alone that say where
 */
export function repeatPlace(text: string, args: readonly string[] = process.argv.slice(2)): string {
  const { values } = parseArgs({ args: [...args], strict: false, options: { stage: name, data: name } })
  const place = (['stage', 'data'] as const).flatMap((option) => {
    const value = values[option]
    return typeof value === 'string' ? [`--${option} ${quoteWord(value)} `] : []
  })
  return text.replaceAll(/npm run [a-z-]+ -- (?![^;\n]*--(?:stage|data)\b)/g, (command) => command + place.join(''))
}
