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
    const refusal = await call('/v1/billing-codes?q=x&limit=0&cursor=c')
    expect(faultPaths(expectRefusal(refusal, [400, 'invalid_request']))).toEqual(['cursor', 'limit', 'q'])
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

describe('the call for providers', () => {
  const find = async (query: string) => {
    const { status, text } = await call(`/v1/providers?${query}`)
    return [status, JSON.parse(text)]
  }

  it('finds them by NPI, and by words of their names in a state or ZIP code', async () => {
    const grace = {
      ...{ npi: 1000100010, name: 'GRACE JANKOWSKI', taxonomy: '207X00000X', specialty: 'Bones and joints' },
      ...{ city: 'PORTLAND', state: 'OR', zip: '97205' },
    }
    const answer = { providers: [grace], nppes_month: '2026-11', complete: true, stopped_by: null }
    expect(await find('npi=1000100010')).toEqual([200, answer])
    expect(await find('q=Jank%20grace&zip=97205&taxonomy=207x00000x')).toEqual([200, answer])
    const [status, { providers, complete }] = await find('q=jankowski&state=or&limit=50')
    expect([status, complete]).toEqual([200, true])
    expect(providers).toContainEqual(grace)
  })

  it('says that its answer is not complete where more match than the limit', async () => {
    expect(await find('zip=97205&limit=1')).toMatchObject([200, { complete: false, stopped_by: 'limit' }])
  })

  it('refuses words without a place, and names every fault', async () => {
    expect(faultPaths(expectRefusal(await call('/v1/providers?q=grace'), [400, 'invalid_request']))).toEqual(['zip'])
    const refusal = await call('/v1/providers?q=-&state=Oregon&limit=0')
    expect(faultPaths(expectRefusal(refusal, [400, 'invalid_request']))).toEqual(['limit', 'q', 'state'])
  })
})
