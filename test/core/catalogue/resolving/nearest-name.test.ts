import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findNearestName, SuggestionBudget, suggestNames } from '../../../../core/catalogue/resolving/nearest-name.ts'
import { at } from '../../../../schema/at.ts'

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

  it('finds nothing if there are no candidates', () => {
    expect(findNearestName('Gold PPO', [])).toBeUndefined()
  })

  it('returns the name itself if it is a candidate', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), fc.string({ minLength: 1 }), (others, name) => {
        const nearest = findNearestName(name, [...others, name])
        expect(nearest?.toLowerCase()).toBe(name.toLowerCase())
      }),
    )
  })

  it('always returns one of the candidates', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (name, known) => {
        expect([undefined, ...known]).toContain(findNearestName(name, known))
      }),
    )
  })

  it('tolerates one letter wrong, missing or added', () => {
    const anyName = fc.stringMatching(/^[a-z]{6,30}$/)
    fc.assert(
      fc.property(anyName, fc.nat(), fc.constantFrom('', 'x', 'xy'), (name, position, instead) => {
        const at = position % name.length
        expect(findNearestName(name.slice(0, at) + instead + name.slice(at + 1), [name])).toBe(name)
      }),
    )
  })

  it('counts letters before a name like any others', () => {
    expect(findNearestName('Gold PPO', ['xyGold PPO', 'Gold PPx'])).toBe('Gold PPx')
    expect(findNearestName('xyGold PPO', ['Gold PPO', 'xyGold PPx'])).toBe('xyGold PPx')
  })

  it('prefers the first of equally close names', () => {
    expect(findNearestName('plan C', ['plan A', 'plan B'])).toBe('plan A')
  })
})

describe('suggestions', () => {
  it('stop at the budget of a request, the same on every machine, whatever the names are', () => {
    const start = 'Blue Harbor '.repeat(13)
    const names = Array.from({ length: 6_000 }, (_, index) => `${start}${index}`)
    const budget = new SuggestionBudget()
    const suggested = Array.from({ length: 20 }, (_, index) => suggestNames(`${start}${index}x`, names, 1, budget))
    expect(suggested.map(({ length }) => length)).toEqual(Array(20).fill(0))
    expect(budget.isSpent).toBe(true)
    const shorter = names.map((name) => name.slice(-60))
    const again = () => {
      const once = new SuggestionBudget()
      return Array.from({ length: 10 }, (_, index) => suggestNames(`${at(shorter, index)}x`, shorter, 1, once).length)
    }
    expect(again()).toEqual([1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    expect(again()).toEqual(again())
  })

  it.each([
    ['plans that start with the name', 'Harbor PPO', ['Harbor PPO Gold', 'Harbor PPO Silver']],
    ['plans that end with the name', 'ppo gold', ['Harbor PPO Gold']],
    ['plans contained in the name', 'The Dental Plan of Ohio', ['Dental']],
    ['plans with other punctuation between the words', 'HARBOR-PPO/GOLD plus', ['Harbor PPO Gold']],
    ['the nearest name first, then plans that contain the name', 'Dentel', ['Dental']],
    ['empty for part of a word', 'Harb', []],
    ['empty for a name without words', '--', []],
    ['empty for a name unlike all others', 'Platinum', []],
  ])('consist of %s', (_, name, suggested) => {
    expect(suggestNames(name, ['Harbor PPO Silver', 'Harbor PPO Gold', 'Dental'], 3)).toEqual(suggested)
  })

  it('put the nearest name first, then the closest in length', () => {
    const known = ['Gold PPO Extra Large', 'Gold PPO X', 'Gold PPO Plus', 'Gold']
    expect(suggestNames('Gold PPO', known, 4)).toEqual(['Gold PPO X', 'Gold', 'Gold PPO Plus', 'Gold PPO Extra Large'])
  })

  it('suggest candidates, each once, up to the limit', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('Gold', 'Gold PPO', 'gold ppo x'))
    fc.assert(
      fc.property(name, fc.array(name), fc.integer({ min: 0, max: 4 }), (asked, known, limit) => {
        const suggested = suggestNames(asked, known, limit)
        expect(suggested.length).toBeLessThanOrEqual(limit)
        expect(new Set(suggested).size).toBe(suggested.length)
        expect(suggested.filter((one) => !known.includes(one))).toEqual([])
      }),
    )
  })
})
