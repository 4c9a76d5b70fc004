import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')

/**
 * Runs a command of `npm run keys`.
 *
 * @param operator options that name the service
 * @returns its facts
 */
export async function runKeys(operator: readonly string[], ...args: readonly string[]) {
  const words = ['bin/keys.ts', ...args, ...operator, '--json']
  return JSON.parse((await promisify(execFile)(process.execPath, words, { cwd: root })).stdout)
}

/** Returns the organization of a key, which is part of it. */
export const organizationOf = (key: string): string => /^rates_(\w{12})/.exec(key)?.[1] ?? ''

/** Issues a key that may only read, for the organization of a key; none if the service has no operator here. */
export async function issueReadingKey(operator: readonly string[], key: string): Promise<string | undefined> {
  if (operator.length === 0) return undefined
  const { api_key } = await runKeys(operator, 'create', organizationOf(key), 'reader', '--allow', 'reading')
  return api_key
}
