import { describe, expect, it } from 'vitest'
import { maxNameLength } from '../../../../contract/limits.ts'
import type { FeeSchedule } from '../../../../core/catalogue/fee-schedule.ts'
import { describeMissing } from '../../../../core/catalogue/resolving/missing-fee-schedules.ts'
import { describeFailure } from '../../../../core/failure.ts'

const pair = (payer: string, plan: string): FeeSchedule => ({ payer, plan })

const supported = [
  pair('Acme Health', 'Bronze HMO'),
  pair('Acme Health', 'Gold PPO'),
  pair('Acme Health', 'Gold PPO Extra'),
  pair('Acme Health', 'Silver PPO'),
  pair('Zenith & Co', 'Basic'),
]

/** The sentence, and the number of reads: of one payer's names, and of all names. */
async function describeAll(missing: readonly FeeSchedule[], known: readonly FeeSchedule[] = supported) {
  const reads = { ofPayers: 0, ofAll: 0 }
  const { word, sentence } = await describeMissing(async (payer) => {
    if (payer === undefined) reads.ofAll += 1
    else reads.ofPayers += 1
    return known.filter((one) => payer === undefined || one.payer === payer)
  }, missing)
  expect(word).toBe('unsupported_fee_schedule')
  return { sentence, reads }
}

describe('the failure for a fee schedule that does not exist', () => {
  it.each([
    [
      'suggests the nearest plan',
      pair('Acme Health', 'Bronze HMOO'),
      'payer "Acme Health" has no plan "Bronze HMOO" (did you mean "Bronze HMO"?). ' +
        'List what is supported with GET /v1/fee-schedules?payer=Acme%20Health.',
    ],
    [
      'suggests every plan of which the name is a part',
      pair('Acme Health', 'PPO'),
      'payer "Acme Health" has no plan "PPO" (did you mean "Gold PPO" or "Silver PPO" or "Gold PPO Extra"?). ' +
        'List what is supported with GET /v1/fee-schedules?payer=Acme%20Health.',
    ],
    [
      'gives three plans as examples if none is like the name',
      pair('Acme Health', 'Platinum'),
      'payer "Acme Health" has no plan "Platinum" (it has for example "Bronze HMO", "Gold PPO", "Gold PPO Extra"). ' +
        'List what is supported with GET /v1/fee-schedules?payer=Acme%20Health.',
    ],
    [
      'gives all plans of a payer that has few',
      pair('Zenith & Co', 'Platinum'),
      'payer "Zenith & Co" has no plan "Platinum" (it has "Basic"). ' +
        'List what is supported with GET /v1/fee-schedules?payer=Zenith%20%26%20Co.',
    ],
    [
      'suggests the nearest payer',
      pair('Acme Heath', 'Gold PPO'),
      'payer "Acme Heath" is unknown (did you mean "Acme Health"?), asked for with plan "Gold PPO". ' +
        'List what is supported with GET /v1/fee-schedules?payer=<payer>.',
    ],
    [
      'suggests no payer if none is like the name',
      pair('Qqqqqqqqqqqqqqqq', 'Gold PPO'),
      'payer "Qqqqqqqqqqqqqqqq" is unknown, asked for with plan "Gold PPO". ' +
        'List what is supported with GET /v1/fee-schedules?payer=<payer>.',
    ],
  ])('%s', async (_, missing, sentence) => {
    expect((await describeAll([missing])).sentence).toBe(`This fee schedule is not supported: ${sentence}`)
  })

  it('names several, with one suggestion each', async () => {
    const missing = [pair('Acme Health', 'Gold PP'), pair('Acme Health', 'PPO'), pair('Zenth & Co', 'Basic')]
    expect((await describeAll(missing)).sentence).toBe(
      'These 3 fee schedules are not supported: payer "Acme Health" has no plan "Gold PP" (did you mean "Gold PPO"?), ' +
        '"PPO" (did you mean "Gold PPO"?); payer "Zenth & Co" is unknown (did you mean "Zenith & Co"?), asked for with ' +
        'plan "Basic". List what is supported with GET /v1/fee-schedules?payer=<payer>.',
    )
  })

  it('gives no examples of a payer if it suggests a plan', async () => {
    const missing = [pair('Acme Health', 'Gold PP'), pair('Acme Health', 'Platinum')]
    expect((await describeAll(missing)).sentence).toContain('"Gold PP" (did you mean "Gold PPO"?), "Platinum". List')
  })

  it('names all plans that were asked for with an unknown payer', async () => {
    const missing = ['Gold', 'Silver'].map((plan) => pair('Qqqqqqqqqqqqqqqq', plan))
    expect((await describeAll(missing)).sentence).toContain('asked for with plan "Gold", "Silver". List')
  })

  it('gives all three plans of a payer that has three', async () => {
    const known = ['A', 'B', 'C'].map((plan) => pair('Acme', plan))
    expect((await describeAll([pair('Acme', 'Platinum')], known)).sentence).toContain('(it has "A", "B", "C")')
  })

  it('names ten of two hundred, counts the rest, and reads only what it names', async () => {
    const missing = Array.from({ length: 200 }, (_, index) => pair(`Payer ${index}`, `Plan ${index}`))
    const { sentence, reads } = await describeAll(missing)
    expect(sentence).toMatch(/^These 200 fee schedules are not supported: .*; and 190 more\. List/)
    expect(sentence).toContain('"Plan 9"')
    expect(sentence).not.toContain('"Plan 10"')
    expect(reads).toEqual({ ofPayers: 10, ofAll: 1 })
  })

  it('counts nothing if it names all of ten', async () => {
    const missing = Array.from({ length: 10 }, (_, index) => pair('Payer', `Plan ${index}`))
    expect((await describeAll(missing)).sentence).not.toContain('more')
  })

  it('stays below 16 KB for the longest names', async () => {
    const name = (index: number, sign: string) => String(index).padStart(maxNameLength, sign)
    const missing = Array.from({ length: 200 }, (_, index) => pair(name(index, 'p'), name(index, 'a')))
    const known = missing.flatMap(({ payer }) => [1, 2, 3].map((index) => pair(payer, name(index, 'z'))))
    const failure = await describeMissing(async (payer) => known.filter((one) => one.payer === payer), missing)
    expect(Buffer.byteLength(describeFailure(failure))).toBeLessThan(16_000)
  })

  it('names the payer as unknown if the catalogue is empty', async () => {
    expect((await describeAll([pair('Acme', 'Gold')], [])).sentence).toContain('payer "Acme" is unknown, asked for')
  })
})
