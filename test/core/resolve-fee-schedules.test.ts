import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogueEntry } from '../../core/catalogue-entry.ts'
import type { FeeSchedule } from '../../core/fee-schedule.ts'
import { resolveFeeSchedules } from '../../core/resolve-fee-schedules.ts'
import { createMemoryCatalogue } from './memory-ports.ts'
import { newEntry } from './sample-search.ts'

const entries = [
  newEntry({ payer: 'Acme Health', plan: 'Gold PPO', sources: ['b', 'a'] }),
  newEntry({ payer: 'Acme Health', plan: 'Silver PPO', sources: ['c', 'a'] }),
  newEntry({ payer: 'Zenith', plan: 'Basic', sources: [] }),
]
const pair = (payer: string, plan: string): FeeSchedule => ({ payer, plan })

async function sentenceOf(feeSchedules: readonly FeeSchedule[], catalogue: readonly CatalogueEntry[] = entries) {
  const found = await resolveFeeSchedules(createMemoryCatalogue([...catalogue]), feeSchedules)
  return 'failure' in found ? found.failure : undefined
}

describe('known fee schedules', () => {
  it('are read from the files that count for them, each once and sorted', async () => {
    const asked = [pair('Acme Health', 'Silver PPO'), pair('Acme Health', 'Gold PPO')]
    const found = await resolveFeeSchedules(createMemoryCatalogue(entries), asked)
    expect(found).toEqual({ sources: ['a', 'b', 'c'] })
  })

  it("are read without sources over an operator's own relation", async () => {
    const found = await resolveFeeSchedules(createMemoryCatalogue(entries), [pair('Zenith', 'Basic')])
    expect(found).toEqual({ sources: [] })
  })

  it('are found without looking through the catalogue', async () => {
    const catalogue = createMemoryCatalogue(entries)
    await resolveFeeSchedules(catalogue, [pair('Zenith', 'Basic')])
    expect(catalogue.asked.lists).toBe(0)
  })
})

describe('missing fee schedules', () => {
  it('are named with the nearest plan of a known payer', async () => {
    expect(await sentenceOf([pair('Acme Health', 'Gold PP')])).toEqual({
      word: 'unsupported_fee_schedule',
      sentence: 'This fee schedule is not supported: payer "Acme Health" has no plan "Gold PP", nearest is "Gold PPO".',
    })
  })

  it('are named with the nearest payer where theirs is unknown', async () => {
    expect((await sentenceOf([pair('Acme Heath', 'Gold PPO')]))?.sentence).toBe(
      'This fee schedule is not supported: payer "Acme Heath" is unknown, nearest is "Acme Health" (asked for with plan "Gold PPO").',
    )
  })

  it('are named without a suggestion where nothing is near', async () => {
    const asked = [pair('Qqqqqqqqqqqqqqqq', 'Gold PPO'), pair('Zenith', 'Platinum'), pair('Zenith', 'Basic')]
    expect((await sentenceOf(asked))?.sentence).toBe(
      'These 2 fee schedules are not supported: payer "Qqqqqqqqqqqqqqqq" is unknown (asked for with plan "Gold PPO"); ' +
        'payer "Zenith" has no plan "Platinum".',
    )
  })

  it('are named over an empty catalogue too', async () => {
    expect((await sentenceOf([pair('Acme', 'Gold')], []))?.sentence).toContain('payer "Acme" is unknown (asked')
  })

  it('are told by case, as names are compared', async () => {
    expect((await sentenceOf([pair('Acme Health', 'gold ppo')]))?.sentence).toContain('nearest is "Gold PPO"')
  })

  it('get at most ten suggestions, and are all named', async () => {
    const asked = Array.from({ length: 30 }, (_, index) => pair('Acme Health', `Gold PPO ${index}`))
    const failure = await sentenceOf(asked)
    expect(failure?.sentence.match(/nearest is/g)?.length).toBe(10)
    expect(asked.filter(({ plan }) => !failure?.sentence.includes(`"${plan}"`))).toEqual([])
  })

  it('cost a few pages of a large catalogue, never all of it', async () => {
    const many = Array.from({ length: 7000 }, (_, index) =>
      newEntry({ payer: 'Acme Health', plan: `Plan ${String(index).padStart(4, '0')}` }),
    )
    const catalogue = createMemoryCatalogue(many)
    await resolveFeeSchedules(catalogue, [pair('Acme Heath', 'Plan 1')])
    // One look shows that the payer has no plans, five pages are looked through for its name.
    expect(catalogue.asked.lists).toBe(6)
  })

  it('are held against the names of later pages too', async () => {
    const others = Array.from({ length: 1500 }, (_, index) => newEntry({ plan: `Aaaaaaaa ${index}` }))
    const asked = [pair('Acme Health', 'Platinum EOP')]
    const failure = await sentenceOf(asked, [...others, newEntry({ plan: 'Platinum EPO' })])
    expect(failure?.sentence).toContain('nearest is "Platinum EPO"')
  })

  it('are all named, and no known one is', async () => {
    const names = fc.constantFrom('Acme Health', 'Zenith', 'Omega')
    const plans = fc.constantFrom('Gold PPO', 'Silver PPO', 'Basic', 'Extra')
    const known = new Set(entries.map(({ payer, plan }) => `${payer}/${plan}`))
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.record({ payer: names, plan: plans }), {
          minLength: 1,
          selector: (one) => `${one.payer}/${one.plan}`,
        }),
        async (asked) => {
          const missing = asked.filter(({ payer, plan }) => !known.has(`${payer}/${plan}`))
          const failure = await sentenceOf(asked)
          expect(failure === undefined).toBe(missing.length === 0)
          expect(
            missing.filter(
              ({ payer, plan }) => !failure?.sentence.includes(`"${payer}"`) || !failure.sentence.includes(`"${plan}"`),
            ),
          ).toEqual([])
        },
      ),
    )
  })
})
