import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownKey, service } from './client.ts'

const root = join(import.meta.dirname, '../..')

/** The organization whose key the suite uses. */
export const [, orgId = ''] = /^rates_(\w{12})/.exec(ownKey) ?? []

/** Runs a command of `npm run keys`, and returns its facts. */
export async function operateKeys(...args: readonly string[]) {
  const words = ['bin/keys.ts', ...args, ...service.operator, '--json']
  return JSON.parse((await promisify(execFile)(process.execPath, words, { cwd: root })).stdout)
}

/** Creates another key of the organization. */
export const issueKey = async (...options: readonly string[]): Promise<{ api_key: string; key_id: string }> =>
  operateKeys('create', orgId, 'assistant', ...options)
