import { describe, expect, it } from 'vitest'
import type { SearchListItem } from '../../../client/api.ts'
import { describeListed, hasWords } from '../../../page/search/listed-words.ts'

const search: SearchListItem = {
  job_id: '00000000-0000-4000-8000-000000000000',
  created_at: '2026-11-20T12:45:08.974+00:00',
  fee_schedule_count: 2,
  first_fee_schedule: { payer: 'Blue Harbor Health', plan: 'Harbor Choice Plus' },
  next_fee_schedules: [{ payer: 'Summit Ridge Insurance', plan: 'Ridge Open Access' }],
  filters: [{ name: 'billing_codes', count: 2, first: ['73721', '99213'] }],
  as_of: '2026-10-31',
  status: 'failed',
  failed_at: '2026-11-20T12:45:09.974+00:00',
  error: 'result_too_large: Name fewer plans.',
}

describe('the words of a search in the list', () => {
  it.each(['', '  ', '73721', 'RIDGE 99213', 'summit, harbor', '2026-10', '2026-11-20', 'too large'])(
    'contain %j',
    (text) => {
      expect(hasWords(describeListed(search), text)).toBe(true)
    },
  )

  it.each(['73722', '73721 lakeside', 'completed'])('do not contain %j', (text) => {
    expect(hasWords(describeListed(search), text)).toBe(false)
  })
})
