import { describe, expect, it } from 'vitest'
import { emptyDraft, readDraft } from '../../../page/form/draft.ts'
import { readDraftLink, writeDraft, writeDraftLink } from '../../../page/form/draft-link.ts'

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

  it('keeps a form as it was typed, whether it can be read or not', () => {
    const draft = {
      feeSchedules: [...request.fee_schedules, { plan_id: '04-1234567' }],
      codes: '99213-99215\n hello & 100 % #1',
      npis: '12',
      tins: '',
      networks: 'Open Access, East\nSelect',
      states: 'Oregon',
      zips: '97205-1234',
      taxonomies: '',
      asOf: '2026-10-31',
      result: 'both',
    } as const
    // Fee schedules by plan id come after those by name.
    expect(readDraftLink(writeDraft(draft))).toEqual(draft)
  })

  it('leads from a summary to a form that starts a summary', () => {
    const draft = readDraftLink(writeDraftLink({ ...request, summary: { weight: 'tins' } }))
    expect(draft?.result).toBe('summary')
  })

  it('opens an empty form if nothing is filled in', () => {
    expect(writeDraft(emptyDraft)).toBe('#/')
  })

  it('opens the form without a fee schedule if its plan has no payer', () => {
    expect(readDraftLink('#/?plan=Gold')?.feeSchedules).toEqual([])
  })

  it.each(['#/', '#/searches', '', '#/searches/x?plan=a'])('differs from %j', (fragment) => {
    expect(readDraftLink(fragment)).toBeUndefined()
  })
})
