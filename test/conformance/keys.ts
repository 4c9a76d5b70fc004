import { ownKey, service } from './client.ts'
import { organizationOf, runKeys } from './run-keys.ts'

/** The organization whose key the suite uses. */
export const orgId = organizationOf(ownKey)

/** Runs a command of `npm run keys`, and returns its facts. */
export const operateKeys = (...args: readonly string[]) => runKeys(service.operator, ...args)

/** Creates another key of the organization. */
export const issueKey = async (...options: readonly string[]): Promise<{ api_key: string; key_id: string }> =>
  operateKeys('create', orgId, 'assistant', ...options)
