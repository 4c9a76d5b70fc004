import { describe, expect, it } from 'vitest'
import { readDraft } from '../../../page/form/draft.ts'
import { readDraftLink, writeDraftLink } from '../../../page/form/draft-link.ts'

const request = {
  npis: [1003000126, 1234567893],
  billing_codes: ['99213', 'J1885'],
  tins: ['012345678'],
  providers: { states: ['TX', 'PR'], zips: ['00501'], taxonomies: ['207R00000X'] },
  fee_schedules: [
    { payer: 'A & B, Inc. #1', plan: 'PPO (EIN 222222222)' },
    { payer: 'A & B, Inc. #1', plan: '100% Größe' },
  ],
}

describe('a link to a search that is already written', () => {
  it('opens the form with that search', () => {
    const draft = readDraftLink(writeDraftLink(request))
    expect(draft && readDraft(draft)).toEqual({ request })
  })

  it('leaves out the lists that the search leaves out', () => {
    const { npis, fee_schedules } = request
    const draft = readDraftLink(writeDraftLink({ npis, fee_schedules }))
    expect(draft && readDraft(draft)).toEqual({ request: { npis, fee_schedules } })
  })

  it('with a plan and no payer has no fee schedule', () => {
    expect(readDraftLink('#/?plan=Gold')?.feeSchedules).toEqual([])
  })

  it.each(['#/', '#/searches', '', '#/searches/x?plan=a'])('is not %j', (fragment) => {
    expect(readDraftLink(fragment)).toBeUndefined()
  })
})
