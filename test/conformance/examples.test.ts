import { describe, expect, it } from 'vitest'
import examples from '../../contract/examples.json' with { type: 'json' }
import { call, service } from './client.ts'
import { recordExamples } from './examples.ts'

describe('the examples of the document', () => {
  it('match the service’s answers; if not, run "npm run examples" and review the changes', async () => {
    const [refusedKey] = service.refusedKeys
    const recorded = await recordExamples(call, refusedKey)
    const comparable = examples.filter(({ name }) => refusedKey !== undefined || name !== 'revoked-key')
    expect(recorded).toEqual(comparable)
  })
})
