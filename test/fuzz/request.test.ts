import { describe, expect, it } from 'vitest'
import { requestSurface } from './request.ts'

describe('fuzzing the body of a search', () => {
  it.each(requestSurface.rules)('upholds $name', async ({ check, shortRuns }) => {
    const { failure } = await check({ numRuns: shortRuns })
    expect(failure).toBeUndefined()
  })
})
