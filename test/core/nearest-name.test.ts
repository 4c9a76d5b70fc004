import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findNearestName } from '../../core/nearest-name.ts'

const plans = ['Gold PPO', 'Silver PPO', 'Bronze HMO', 'Catastrophic']

describe('the nearest name', () => {
  it.each([
    ['Gold PP', 'Gold PPO'],
    ['gold ppo', 'Gold PPO'],
    ['Glod PPO', 'Gold PPO'],
    ['Sliver PPO', 'Silver PPO'],
    ['Bronze', undefined],
    ['Katastrophik', 'Catastrophic'],
    ['Platinum EPO', undefined],
    ['', undefined],
  ])('to %j is %j', (name, nearest) => {
    expect(findNearestName(name, plans)).toBe(nearest)
  })

  it('is none where nothing is known', () => {
    expect(findNearestName('Gold PPO', [])).toBeUndefined()
  })

  it('is the name itself where it is known', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.string({ minLength: 1 }), (others, name) => {
        const nearest = findNearestName(name, [...others, name])
        expect(nearest?.toLowerCase()).toBe(name.toLowerCase())
      }),
    )
  })

  it('is always one of the known names', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, known) => {
        expect([undefined, ...known]).toContain(findNearestName(name, known))
      }),
    )
  })

  it('finds a name of some length with one letter wrong, left out or added', () => {
    const anyName = fc.stringMatching(/^[a-z]{6,30}$/)
    fc.assert(
      fc.property(anyName, fc.nat(), fc.constantFrom('', 'x', 'xy'), (name, place, instead) => {
        const at = place % name.length
        expect(findNearestName(name.slice(0, at) + instead + name.slice(at + 1), [name])).toBe(name)
      }),
    )
  })

  it('is the first of those that are equally near', () => {
    expect(findNearestName('plan C', ['plan A', 'plan B'])).toBe('plan A')
  })
})
