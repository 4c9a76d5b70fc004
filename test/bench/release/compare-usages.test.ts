import { describe, expect, it } from 'vitest'
import { compareUsages } from './compare-usages.ts'

const usages = (load: number, poll: number) =>
  new Map([
    ['load', load],
    ['poll', poll],
  ])

describe('a comparison with the last release', () => {
  it('takes the lowest figure of each version', () => {
    const compared = compareUsages([usages(2, 1), usages(4, 0.5)], [usages(3, 0.6), usages(2.2, 0.9)])
    expect(compared).toEqual([
      { what: 'load', release: 2, present: 2.2, ratio: 1.1 },
      { what: 'poll', release: 0.5, present: 0.6, ratio: 1.2 },
    ])
  })

  it('yields NaN for a figure that one version lacks', () => {
    expect(compareUsages([usages(2, 1)], [new Map([['load', 2]])])[1]?.ratio).toBeNaN()
  })
})
