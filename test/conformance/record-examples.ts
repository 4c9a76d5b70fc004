import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordExamples, type Send } from './examples.ts'
import { issueReadingKey } from './run-keys.ts'
import { findService } from './service.ts'

/** Writes contract/examples.json from the service's answers: `npm run examples`, then `npm run schema`. */

const { access, stop } = await findService()
try {
  const [ownKey] = access.keys
  const send: Send = async (path, { key = ownKey, headers = {}, ...rest } = {}) => {
    const authorization = key ? { Authorization: `Bearer ${key}` } : {}
    const response = await fetch(access.baseUrl + path, { ...rest, headers: { ...authorization, ...headers } })
    return { status: response.status, text: await response.text() }
  }
  const examples = await recordExamples(send, {
    revoked: access.refusedKeys[0],
    reading: await issueReadingKey(access.operator, ownKey ?? ''),
  })
  writeFileSync(join(import.meta.dirname, '../../contract/examples.json'), `${JSON.stringify(examples, null, 2)}\n`)
} finally {
  await stop()
}
