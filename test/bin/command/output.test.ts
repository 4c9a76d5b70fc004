import { describe, expect, it } from 'vitest'
import { toJson } from '../../../bin/command/output.ts'

describe('the JSON output of a command', () => {
  it("uses snake_case names and the API's timestamps, and omits undefined", () => {
    const facts = {
      orgId: 'o',
      createdAt: new Date('2026-11-20T09:30:00.123Z'),
      revokedAt: undefined,
      files: [{ sourceId: 's', last: null, rates: 1 }],
    }
    expect(JSON.stringify(toJson(facts))).toBe(
      '{"org_id":"o","created_at":"2026-11-20T09:30:00.123+00:00","files":[{"source_id":"s","last":null,"rates":1}]}',
    )
  })

  it('leaves names that are data unchanged', () => {
    const facts = { outputs: { PublicBaseUrl: 'u' }, findings: { 'rate-unit-unknown': 2 } }
    expect(toJson(facts)).toEqual(facts)
  })
})
