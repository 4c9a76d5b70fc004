import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../../core/search/strict-json.ts'
import { faultsOf } from '../../builders/request-bodies.ts'

const good = { npis: [1003000126], billing_codes: ['99213'], fee_schedules: [{ payer: 'Acme Health', plan: 'Gold' }] }

describe('the message of a fault', () => {
  const messagesOf = (body: unknown) => faultsOf(body).map(({ message }) => message)
  const pairs = 'name 1 to 200 pairs of payer and plan, or plan ids (GET /v1/fee-schedules lists them)'

  it.each([
    ['a misspelt field', { ...good, npi: [1] }, 'unknown field `npi`; did you mean `npis`?'],
    ['a field in another case', { ...good, NPIs: [1] }, 'unknown field `NPIs`; did you mean `npis`?'],
    [
      'a field unlike any other',
      { ...good, filter: 1 },
      'unknown field `filter`; the fields are npis, tins, billing_codes, networks, providers, fee_schedules, as_of, columns, limit, max_bytes, summary',
    ],
    [
      'a misspelt field of a fee schedule',
      { ...good, fee_schedules: [{ payer: 'A', plan: 'B', plans: 'C' }] },
      'unknown field `plans`; did you mean `plan`?',
    ],
    [
      'a field that a fee schedule does not have',
      { ...good, fee_schedules: [{ payer: 'A', plan: 'B', identifier: 1 }] },
      'unknown field `identifier`; the fields are payer, plan, plan_id',
    ],
    [
      'a misspelt column',
      { ...good, columns: ['negotiated_rates'] },
      'must be the name of a column of results; got "negotiated_rates"; did you mean `negotiated_rate`?',
    ],
    [
      'columns of a summary',
      { ...good, columns: ['plan'], summary: {} },
      'cannot be chosen with `summary`, whose rows have columns of their own: leave it out',
    ],
    [
      'a limit of a summary',
      { ...good, limit: 5, summary: {} },
      'cannot be given with `summary`: some of its rows would look like all of them: leave it out',
    ],
    ['no column', { ...good, columns: [] }, 'must not be empty: leave the field out to mean all columns'],
    ['no rows', { ...good, limit: 0 }, 'must be an integer from 1 to 1,000,000; got 0'],
    ['too many rows', { ...good, limit: 1_000_001 }, 'must be an integer from 1 to 1,000,000; got 1000001'],
    ['no bytes', { ...good, max_bytes: 0 }, 'must be an integer from 1 to 1,000,000,000,000,000; got 0'],
    ['a limit that is a text', { ...good, limit: '10' }, 'must be an integer from 1 to 1,000,000; got "10"'],
    ['no fee schedules', { npis: [0] }, `is required: ${pairs}`],
    ['an empty list of fee schedules', { ...good, fee_schedules: [] }, `must not be empty: ${pairs}`],
    ['an empty list of NPIs', { ...good, npis: [] }, 'must not be empty: leave the field out to mean all'],
    [
      'no list of NPIs, TINs, codes and providers',
      { fee_schedules: good.fee_schedules },
      'at least one of npis, tins, billing_codes, networks and providers is required; those left out mean all',
    ],
    [
      'a plan id that is a number',
      { ...good, fee_schedules: [{ plan_id: 41234567 }] },
      'must be a string (leading zeros carry meaning); got 41234567',
    ],
    [
      'a plan id that is a name',
      { ...good, fee_schedules: [{ plan_id: 'Gold (PPO)' }] },
      'must be an EIN, such as 12-3456789, or a HIOS id; got "Gold (PPO)"',
    ],
    [
      'a plan id beside a plan',
      { ...good, fee_schedules: [{ plan_id: '12-3456789', plan: 'Gold' }] },
      'takes the place of payer and plan: leave out `plan`',
    ],
    [
      'a state by its name',
      { ...good, providers: { states: ['Texas'] } },
      'must be a state or territory of two letters, as a string; got "Texas"',
    ],
    [
      'a ZIP code with its +4, which would find all of the five digits',
      { ...good, providers: { zips: ['77030-1501'] } },
      'must be a ZIP code of five digits, without its +4, as a string; got "77030-1501"',
    ],
    [
      'a ZIP code that is a number',
      { ...good, providers: { zips: [501] } },
      'must be a ZIP code of five digits, without its +4, as a string; got 501',
    ],
    [
      'a specialty by its name',
      { ...good, providers: { taxonomies: ['Cardiology'.repeat(2)] } },
      'must be an NUCC taxonomy code of ten letters and digits, as a string; got "CardiologyCardiology"',
    ],
    [
      'a misspelt list of providers',
      { ...good, providers: { state: ['TX'] } },
      'unknown field `state`; did you mean `states`?',
    ],
    [
      'providers without a list',
      { ...good, providers: {} },
      'must be an object with states, zips, taxonomies, at least one of them',
    ],
    [
      'an empty list of states',
      { ...good, providers: { states: [] } },
      'must not be empty: leave the field out to mean all',
    ],
    ['a lone NPI', { ...good, npis: 1003000126 }, 'must be an array, not 1003000126'],
    [
      'a code that is a number',
      { ...good, billing_codes: [99213] },
      'must be a string (leading zeros carry meaning); got 99213',
    ],
    [
      'a TIN that is a number',
      { ...good, tins: [12345678] },
      'must be a string (leading zeros carry meaning); got 12345678',
    ],
    [
      'a TIN with a letter',
      { ...good, tins: ['12-345678X'] },
      'must be a TIN of 2 to 20 digits and hyphens (leading zeros carry meaning); got "12-345678X"',
    ],
    ['an empty code', { ...good, billing_codes: [' '] }, 'must have 1 to 64 characters; got " "'],
    [
      'a code with a hyphen nobody sees',
      { ...good, billing_codes: ['99213\u00AD'] },
      'must not contain invisible characters (it has U+00AD); got "99213\\u00ad"',
    ],
    [
      'a fee schedule that is a list',
      { ...good, fee_schedules: [['A', 'B']] },
      'must be an object with the strings payer and plan, or plan_id, not an array',
    ],
    ['a fee schedule without a payer', { ...good, fee_schedules: [{ plan: 'B' }] }, 'is required'],
    ['a plan that is a number', { ...good, fee_schedules: [{ payer: 'A', plan: 7 }] }, 'must be a string; got 7'],
    ['a plan without a name', { ...good, fee_schedules: [{ payer: 'A', plan: '' }] }, 'must not be empty; got ""'],
  ])('says what to do: %s', (_, body, message) => {
    expect(messagesOf(body)).toEqual([message])
  })

  it.each([
    ['CPT 99213', '99213'],
    ['cpt: 99213', '99213'],
    ['HCPCS-J1885', 'J1885'],
    ['MS-DRG 470', '470'],
    ['drg #470', '470'],
    ['APR-DRG 302-1', '302-1'],
    ['ICD-10-PCS 0SR9019', '0SR9019'],
    ['ICD10 81.54', '81.54'],
    ['RC 0450', '0450'],
    ['NDC 0002-8215-01', '0002-8215-01'],
  ])('gives the code without its type: %s', (code, bare) => {
    expect(messagesOf({ ...good, billing_codes: [code] })).toEqual([
      `must be a code without its type: send "${bare}"; got "${code}"`,
    ])
  })

  it.each(['CPT', 'CPT99213', 'RC', 'DRG-A', 'XRAY 99213', '99213 CPT', 'CSTM 00', 'A CPT 99213'])(
    'accepts the code %s, which a file may have',
    (code) => {
      expect(messagesOf({ ...good, billing_codes: [code] })).toEqual([])
    },
  )
})

describe('a value that is not strict JSON', () => {
  it('causes a fault in every field', () => {
    const body = `{"npis": [1e-400, 1000100002.00000001, 1e400, -0, 1003000126], "billing_codes": [1.0],
      "fee_schedules": [{"payer": "A", "payer": "B", "plan": "C"}], "x": 1, "x": 1}`
    expect(
      faultsOf(parseStrictJson(body)).map(({ path, message }) => `${path} ${message.split(/; |, /).at(-1)}`),
    ).toEqual([
      'x summary',
      'npis[0] not 1e-400',
      'npis[1] not 1000100002.00000001',
      'npis[2] not 1e400',
      'npis[3] not -0',
      'billing_codes[0] got 1.0',
      'fee_schedules[0].payer got several values under one name',
    ])
  })

  it('causes a fault in duplicate lists and fee schedules, and in the body', () => {
    const twice = parseStrictJson('{"npis": [0], "npis": [], "fee_schedules": [{"payer": "A", "plan": "B"}, 1e1]}')
    expect(faultsOf(twice).map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'npis: must be an array, not several values under one name',
      'fee_schedules[1]: must be an object with the strings payer and plan, or plan_id, not 1e1',
    ])
    expect(faultsOf(parseStrictJson('1e1'))).toEqual([{ path: '', message: 'the body must be a JSON object, not 1e1' }])
  })
})
