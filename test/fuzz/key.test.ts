import { describe, expect, it } from 'vitest'
import { keySurface } from './key.ts'

describe('fuzzing API keys', () => {
  it.each(keySurface.rules)('upholds $name', async ({ check, shortRuns }) => {
    const { failure } = await check({ numRuns: shortRuns })
    expect(failure).toBeUndefined()
  })
})
