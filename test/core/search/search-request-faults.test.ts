import { describe, expect, it } from 'vitest'
import { parseStrictJson } from '../../../core/search/strict-json.ts'
import { faultsOf } from '../../builders/request-bodies.ts'

/** The answers to requests with many faults, in full. */
describe('a refused search', () => {
  const now = new Date('2026-11-20T12:00:00.000Z')

  it.each([
    [
      'nothing',
      '{}',
      [
        'fee_schedules: is required: name 1 to 200 pairs of payer and plan, or plan ids (GET /v1/fee-schedules lists them)',
        'npis: at least one of npis, tins, billing_codes, networks and providers is required; those left out mean all',
      ],
    ],
    [
      'lists of every wrong kind',
      '{"npis":0,"tins":"12","billing_codes":{},"networks":null,"providers":[],"fee_schedules":"A","columns":true,"as_of":20261120,"limit":"1","max_bytes":null,"summary":7}',
      [
        'npis: must be an array, not 0',
        'tins: must be an array, not "12"',
        'billing_codes: must be an array, not an object',
        'networks: must be an array, not null',
        'providers: must be an object with states, zips, taxonomies, at least one of them',
        'fee_schedules: must be an array, not "A"',
        'as_of: must be a day, YYYY-MM-DD; got 20261120',
        'columns: must be an array, not true',
        'limit: must be an integer from 1 to 1,000,000; got "1"',
        'max_bytes: must be an integer from 1 to 1,000,000,000,000,000; got null',
        'summary: must be an object, {} for all defaults; got 7',
        'columns: cannot be chosen with `summary`, whose rows have columns of their own: leave it out',
        'limit: cannot be given with `summary`: some of its rows would look like all of them: leave it out',
      ],
    ],
    [
      'empty lists',
      '{"npis":[],"tins":[],"billing_codes":[],"networks":[],"providers":{"states":[],"zips":[],"taxonomies":[]},"fee_schedules":[],"columns":[]}',
      [
        'npis: must not be empty: leave the field out to mean all',
        'tins: must not be empty: leave the field out to mean all',
        'billing_codes: must not be empty: leave the field out to mean all',
        'networks: must not be empty: leave the field out to mean all',
        'providers.states: must not be empty: leave the field out to mean all',
        'providers.zips: must not be empty: leave the field out to mean all',
        'providers.taxonomies: must not be empty: leave the field out to mean all',
        'fee_schedules: must not be empty: name 1 to 200 pairs of payer and plan, or plan ids (GET /v1/fee-schedules lists them)',
        'columns: must not be empty: leave the field out to mean all columns',
      ],
    ],
    [
      'wrong items beside right ones',
      '{"npis":[0,1003000126,1,"1003000126"],"tins":["12-3456789","1",12],"billing_codes":["99213","CPT 99213",""],"networks":["N"," ",1],"providers":{"states":["TX","Texas"],"zips":["77030",77030],"taxonomies":["207R"]},"fee_schedules":[{"payer":"A","plan":"B"}]}',
      [
        'npis[2]: must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not 1',
        'npis[3]: must be an NPI, an integer of ten digits, or 0 for rates of a whole TIN; not "1003000126"',
        'tins[1]: must be a TIN of 2 to 20 digits and hyphens (leading zeros carry meaning); got "1"',
        'tins[2]: must be a string (leading zeros carry meaning); got 12',
        'billing_codes[1]: must be a code without its type: send "99213"; got "CPT 99213"',
        'billing_codes[2]: must have 1 to 64 characters; got ""',
        'networks[1]: must be the name of a network, of 1 to 200 characters; got " "',
        'networks[2]: must be a string; got 1',
        'providers.states[1]: must be a state or territory of two letters, as a string; got "Texas"',
        'providers.zips[1]: must be a ZIP code of five digits, without its +4, as a string; got 77030',
        'providers.taxonomies[0]: must be an NUCC taxonomy code of ten letters and digits, as a string; got "207R"',
      ],
    ],
    [
      'misspelt fields everywhere',
      '{"npi":[0],"npis":[0],"providers":{"state":["TX"]},"fee_schedules":[{"payer":"A","plans":"B"}],"summary":{"weigth":"tins","by":["states"]}}',
      [
        'npi: unknown field `npi`; did you mean `npis`?',
        'providers.state: unknown field `state`; did you mean `states`?',
        'fee_schedules[0].plans: unknown field `plans`; did you mean `plan`?',
        'fee_schedules[0].plan: is required',
        'summary.weigth: unknown field `weigth`; did you mean `weight`?',
        'summary.by[0]: must be one of state, zip, taxonomy, network, npi, tin; got "states"',
      ],
    ],
    [
      'fields of another service',
      '{"filter":1,"fee_schedules":[{"payer":"A","plan":"B","year":2026}]}',
      [
        'filter: unknown field `filter`; the fields are npis, tins, billing_codes, networks, providers, fee_schedules, as_of, columns, limit, max_bytes, summary',
        'fee_schedules[0].year: unknown field `year`; the fields are payer, plan, plan_id',
        'npis: at least one of npis, tins, billing_codes, networks and providers is required; those left out mean all',
      ],
    ],
    [
      'faults of fee schedules',
      '{"npis":[0],"fee_schedules":[{"payer":"A"},{"plan_id":"x","payer":"A","year":1},{"plan_id":null},{},null,"A",{"payer":1,"plan":" "}]}',
      [
        'fee_schedules[0].plan: is required',
        'fee_schedules[1].plan_id: takes the place of payer and plan: leave out `payer`, `year`',
        'fee_schedules[2].plan_id: must be a string (leading zeros carry meaning); got null',
        'fee_schedules[3].payer: is required',
        'fee_schedules[3].plan: is required',
        'fee_schedules[4]: must be an object with the strings payer and plan, or plan_id, not null',
        'fee_schedules[5]: must be an object with the strings payer and plan, or plan_id, not "A"',
        'fee_schedules[6].payer: must be a string; got 1',
        'fee_schedules[6].plan: must not be empty; got " "',
      ],
    ],
    [
      'first rows without what decides them',
      '{"npis":[0],"fee_schedules":[{"payer":"A","plan":"B"}],"summary":{"order":"most"}}',
      [
        'summary.order: must be one of highest, lowest; got "most"',
        'summary.limit: is required: `order` and `limit` name the first rows together',
      ],
    ],
    [
      'first rows in no order, and too many',
      '{"npis":[0],"fee_schedules":[{"payer":"A","plan":"B"}],"summary":{"limit":1001}}',
      [
        'summary.limit: must be an integer from 1 to 1,000; got 1001',
        'summary.order: is required: `order` and `limit` name the first rows together',
      ],
    ],
    [
      'a summary with what it does not take',
      '{"npis":[0],"fee_schedules":[{"payer":"A","plan":"B"}],"summary":{"by":["payer"],"weight":"rows","include_doubtful":"yes","count_providers":1},"columns":["npi","npis"],"limit":0,"max_bytes":0}',
      [
        'columns[1]: must be the name of a column of results; got "npis"; did you mean `npi`?',
        'limit: must be an integer from 1 to 1,000,000; got 0',
        'max_bytes: must be an integer from 1 to 1,000,000,000,000,000; got 0',
        'summary.weight: must be one of tins, prices, npis; got "rows"',
        'summary.by[0]: must be one of state, zip, taxonomy, network, npi, tin; got "payer"',
        'summary.include_doubtful: must be true or false; got "yes"',
        'summary.count_providers: must be true or false; got 1',
        'columns: cannot be chosen with `summary`, whose rows have columns of their own: leave it out',
        'limit: cannot be given with `summary`: some of its rows would look like all of them: leave it out',
      ],
    ],
    [
      'a day that has not come, and no filter',
      '{"fee_schedules":[{"payer":"A","plan":"B"}],"as_of":"2026-11-21","limit":1000001}',
      [
        'limit: must be an integer from 1 to 1,000,000; got 1000001',
        'npis: at least one of npis, tins, billing_codes, networks and providers is required; those left out mean all',
        'as_of: must not be after today, 2026-11-20 in UTC; got "2026-11-21"',
      ],
    ],
    [
      'a day that is none',
      '{"npis":[0],"fee_schedules":[{"payer":"A","plan":"B"}],"as_of":"2026-02-30"}',
      ['as_of: must be a day, YYYY-MM-DD; got "2026-02-30"'],
    ],
    [
      'names of objects of JavaScript',
      '{"__proto__":{"npis":[0]},"constructor":1,"fee_schedules":[{"payer":"A","plan":"B","__proto__":1}]}',
      [
        '__proto__: unknown field `__proto__`; the fields are npis, tins, billing_codes, networks, providers, fee_schedules, as_of, columns, limit, max_bytes, summary',
        'constructor: unknown field `constructor`; the fields are npis, tins, billing_codes, networks, providers, fee_schedules, as_of, columns, limit, max_bytes, summary',
        'fee_schedules[0].__proto__: unknown field `__proto__`; the fields are payer, plan, plan_id',
        'npis: at least one of npis, tins, billing_codes, networks and providers is required; those left out mean all',
      ],
    ],
    [
      'fields twice, and numbers that JSON changes',
      '{"npis":[1e9,1003000126.0],"npis":[0],"tins":[-0],"fee_schedules":[{"payer":"A","plan":"B","plan":"C"}],"limit":1e1}',
      [
        'npis: must be an array, not several values under one name',
        'tins[0]: must be a string (leading zeros carry meaning); got -0',
        'fee_schedules[0].plan: must be a string; got several values under one name',
        'limit: must be an integer from 1 to 1,000,000; got 1e1',
      ],
    ],
    [
      'characters that nobody sees',
      String.raw`{"npis":[0],"np\u200bis":[0],"fee_schedules":[{"payer":"A\u202e","plan":"\ud800"}],"billing_codes":["9\u0000"]}`,
      [
        'np\\u200bis: unknown field `np\\u200bis`; did you mean `npis`?',
        'billing_codes[0]: must not contain control characters; got "9\\u0000"',
        'fee_schedules[0].payer: must not contain invisible characters (it has U+202E); got "A\\u202e"',
        'fee_schedules[0].plan: must be well-formed Unicode (it has a lone surrogate); got "\\ud800"',
      ],
    ],
  ])('lists every fault, in the order of its fields: %s', (_, text, faults) => {
    expect(faultsOf(parseStrictJson(text), now).map(({ path, message }) => `${path}: ${message}`)).toEqual(faults)
  })
})
