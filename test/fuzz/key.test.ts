import { describe, expect, it } from 'vitest'
import { keySurface } from './key.ts'

describe('API keys, under fuzz', () => {
  it.each(keySurface.rules)('hold to $name', async ({ check, shortRuns }) => {
    const { failure } = await check({ numRuns: shortRuns })
    expect(failure).toBeUndefined()
  })
})
