import { describe, expect, it } from 'vitest'
import examples from '../../contract/examples.json' with { type: 'json' }
import { call, ownKey, service } from './client.ts'
import { recordExamples } from './examples.ts'
import { issueReadingKey } from './run-keys.ts'

describe('the examples of the document', () => {
  it('match the service’s answers; if not, run "npm run examples" and review the changes', async () => {
    const [revoked] = service.refusedKeys
    const reading = await issueReadingKey(service.operator, ownKey)
    const recorded = await recordExamples(call, { revoked, reading })
    const comparable = examples.filter(
      ({ name }) =>
        (revoked !== undefined || name !== 'revoked-key') && (reading !== undefined || name !== 'reading-key'),
    )
    expect(recorded).toEqual(comparable)
  })
})
