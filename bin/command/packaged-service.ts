import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../assembly')

/**
 * The synthesised stack of the local service that the package `rate-search-service` brings. It is undefined in a
 * checkout, where each start synthesises the stack from the sources.
 */
export const packagedAssembly: string | undefined = existsSync(folder) ? folder : undefined

/** Stands in the packaged template for the address of the API, which each start chooses. No service listens there. */
export const anyAddress = 'http://127.0.0.1:0'

/** Commands of the repository that deploy its sources, so the package does not have them. */
export const commandsOfCheckout: readonly string[] = ['deploy', 'destroy']

/** Commands of the last release that are gone, and what to use in place of each. The next release forgets them. */
export const removedCommands: ReadonlyMap<string, string> = new Map([
  [
    'logs',
    'use the saved queries of Logs Insights in the console, or paste one of the lines with "aws logs" in docs/runbooks.md',
  ],
  ['release', 'use npm run release:status and npm run release:version, see CONTRIBUTING.md'],
])

/**
 * Names commands as the package starts them: `npm run keys -- list` becomes `rate-search-service keys list`.
 *
 * @param isPackaged false leaves the text as it is. @default - true in the package
 */
export function nameCommands(text: string, isPackaged = packagedAssembly !== undefined): string {
  if (!isPackaged) return text
  const pattern = /\bnpm (?:run (?:--silent )?([a-z-]+)|(start)\b)(?: --silent)?(?: --(?= ))?/g
  return text.replaceAll(pattern, (command, script: string | undefined, name = script) => {
    if (commandsOfCheckout.includes(name)) return command
    if (name === 'rate-search') return 'rate-search'
    return name === 'search' ? 'rate-search search' : `rate-search-service ${name}`
  })
}
