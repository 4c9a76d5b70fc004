import { describe, expect, it } from 'vitest'
import { requestSurface } from './request.ts'

describe('the body of a search, under fuzz', () => {
  it.each(requestSurface.rules)('holds to $name', async ({ check, shortRuns }) => {
    const { failure } = await check({ numRuns: shortRuns })
    expect(failure).toBeUndefined()
  })
})
