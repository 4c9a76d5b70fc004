import { describe, expect, it } from 'vitest'
import { call, completeSearch, listBillingCodes } from '../client.ts'
import { expectRefusal, faultPaths } from '../refusal.ts'
import { choicePlus } from '../samples.ts'

describe('the list of billing codes', () => {
  it('finds codes of the loaded files by words of their names, and by their beginning', async () => {
    const knee = { billing_code_type: 'CPT', billing_code: '27447', name: 'Knee replacement', publisher_count: 2 }
    expect((await listBillingCodes({ q: 'KNEE replace', billing_code_type: 'CPT' })).billing_codes).toEqual([knee])
    expect((await listBillingCodes({ q: '2744' })).billing_codes).toContainEqual(knee)
    const { billing_codes } = await listBillingCodes({ q: 'drg stay knee' })
    expect(billing_codes).toMatchObject([{ billing_code_type: 'MS-DRG', billing_code: '470' }])
  })

  it('names codes as a search takes them', async () => {
    const [code] = (await listBillingCodes({ q: 'knee replacement', billing_code_type: 'CPT' })).billing_codes
    const { download_urls } = await completeSearch({
      billing_codes: [code?.billing_code ?? ''],
      fee_schedules: [choicePlus],
    })
    expect(download_urls.length).toBeGreaterThan(0)
  })

  it('shows each code once over its pages', async () => {
    const whole = (await listBillingCodes({ q: 'visit', limit: '100' })).billing_codes
    const codes: unknown[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await listBillingCodes({ q: 'visit', limit: '2', ...(cursor && { cursor }) })
      codes.push(...page.billing_codes)
      cursor = page.next_cursor
    }
    expect(codes).toEqual(whole)
    expect(whole.length).toBeGreaterThan(4)
  })

  it('refuses a request without words, and names every fault of another', async () => {
    expect(faultPaths(expectRefusal(await call('/v1/billing-codes'), [400, 'invalid_request']))).toEqual(['q'])
    const refusal = await call('/v1/billing-codes?q=x&limit=0&cursor=c&plan=P')
    expect(faultPaths(expectRefusal(refusal, [400, 'invalid_request']))).toEqual(['cursor', 'limit', 'plan', 'q'])
  })
})

describe('the list of specialties', () => {
  it('finds the loaded specialties by words of their names, and refuses faults', async () => {
    const { status, text } = await call('/v1/specialties?q=RADIO%20practice')
    const radiology = { code: '261QR0200X', name: 'Practice, Radiology', grouping: 'Practices' }
    expect([status, JSON.parse(text)]).toEqual([200, { specialties: [radiology], next_cursor: null }])
    const refusal = await call('/v1/specialties?q=-&limit=1001')
    expect(faultPaths(expectRefusal(refusal, [400, 'invalid_request']))).toEqual(['limit', 'q'])
  })
})
