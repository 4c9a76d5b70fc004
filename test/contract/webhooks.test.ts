import { describe, expect, it } from 'vitest'
import { apiDocument } from './documents.ts'
import { compileSchema } from './json-schemas.ts'

const schemaOf = (event: string) => apiDocument.webhooks[event]?.post.requestBody?.content['application/json'].schema

describe('the document’s webhooks', () => {
  it('cover the events that an organization can subscribe to', () => {
    expect(Object.keys(apiDocument.webhooks)).toEqual(['search.ended', 'fee_schedules.updated'])
  })

  it('describe the body of a call, without any download URL', () => {
    const [schema] = [schemaOf('search.ended') ?? {}]
    const isValid = compileSchema(apiDocument, schema)
    const data = {
      job_id: '2a39443a-064f-4d78-b562-c11683209ccf',
      org_id: 'a',
      created_at: '2026-11-20T09:30:00.123+00:00',
    }
    const call = { type: 'search.ended', timestamp: '2026-11-20T09:31:00.250+00:00' }
    const completed = { ...data, status: 'completed', completed_at: '2026-11-20T09:31:00.250+00:00' }
    expect(isValid({ ...call, data: completed })).toBe(true)
    expect(isValid({ ...call, data: { ...data, status: 'failed' } })).toBe(false)
    expect(JSON.stringify(apiDocument.webhooks)).not.toContain('download')
  })
})
