import { describe, expect, it } from 'vitest'
import { completeSearch, failSearch, listFeeSchedules } from '../client.ts'
import { findSampleRows, gold } from '../samples.ts'
import { describeRows, readResult } from '../shards.ts'
import { hostileNames } from './hostile-names.ts'

describe('a payer or plan', () => {
  it.each(hostileNames)(
    'fails the search as unsupported if its name has %s, and the error quotes the name',
    async (_, name) => {
      const { error } = await failSearch({
        npis: [1000100002],
        fee_schedules: [
          { payer: name, plan: name },
          { payer: name, plan: gold.plan },
          { payer: gold.payer, plan: name },
          gold,
        ],
      })
      expect(error).toMatch(/^unsupported_fee_schedule: /)
      expect(error.split(`"${name.normalize('NFC')}"`).length).toBeGreaterThan(3)
    },
  )

  it('leads to an empty list of fee schedules if its name is hostile', async () => {
    const lists = await Promise.all(
      hostileNames.map(([, name]) => listFeeSchedules(`?payer=${encodeURIComponent(name)}`)),
    )
    for (const list of lists) expect(list).toMatchObject({ fee_schedules: [], next_cursor: null })
  })
})

describe('billing codes', () => {
  const codes = hostileNames.map(([, name]) => [...name].slice(0, 30).join(''))

  it('find the rows of a known code next to codes of arbitrary characters', async () => {
    const search = await completeSearch({ billing_codes: [...codes, '27447'], fee_schedules: [gold] })
    expect(await readResult(search)).toEqual(describeRows(findSampleRows({ codes: ['27447'], plans: [gold] })))
  })

  it('find nothing if they are arbitrary characters', async () => {
    expect(await readResult(await completeSearch({ billing_codes: codes, fee_schedules: [gold] }))).toEqual([])
  })
})
