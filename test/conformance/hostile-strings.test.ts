import { describe, expect, it } from 'vitest'
import { completeSearch, failSearch, listFeeSchedules } from './client.ts'
import { findSampleRows, gold } from './samples.ts'
import { describeRows, readResult } from './shards.ts'

/** Names that are allowed, that nobody has, and that a careless service reads as something else than a name. */
const hostile: readonly (readonly [string, string])[] = [
  ['an apostrophe', "O'Brien's Health"],
  ['apostrophes alone', "''''"],
  ['double quotes', '"Health" ""'],
  ['backslashes', '\\Health\\'],
  ['a backslash before an apostrophe', "\\' OR 1=1 --"],
  ['a condition that is always true', "' OR '1'='1"],
  ['the end of the statement', "x'); DROP TABLE rates; --"],
  ['a UNION', "' UNION SELECT * FROM source_plans --"],
  ['comments', '/* Health */ -- Care'],
  ['wildcards', '%_*?'],
  ['a question mark and a name to bind', '? :payer $1 @payer'],
  ['templates', '$' + '{jndi:ldap://x} {{7*7}} <%= 1 %> #{1}'],
  ['JSON', '{"payer": ["$.payer"]}'],
  ['a JSON path of the workflow', '$.payer'],
  ['a function of the workflow', "States.Format('{}', $.payer)"],
  ['markup', '<script>alert(1)</script>&amp;'],
  ['a path', '../../../etc/passwd'],
  ['an escape that stays text', '\\u0000\\x00%00'],
  ['words of programs', 'null undefined NaN true'],
  ['the name of a prototype', '__proto__'],
  ['the name of a constructor', 'constructor'],
  ['a number', '00000'],
  ['emoji', '💉🏥 Health 👩🏽‍⚕️'],
  ['right-to-left script and marks', '\u200fבריאות\u200e\u202eHealth\u202c'],
  ['combining marks', 'H\u0301\u0302\u0303\u0304e\u0323a\u0330lth Cafe\u0301'],
  ['characters of no width', 'Health\u200b\u200d\u2060Care'],
  ['characters that are none', '\uffff\ufdd0'],
  ['characters beyond the first plane', '𝓗𝓮𝓪𝓵𝓽𝓱 𠜎'],
  ['200 characters', 'x'.repeat(200)],
  ['200 apostrophes', "'".repeat(200)],
  ['a hundred emoji', '💉'.repeat(100)],
]

describe('a payer or plan', () => {
  it.each(hostile)('with %s fails the search as unsupported, under its own name', async (_, name) => {
    const { error } = await failSearch({
      npis: [1000100000],
      fee_schedules: [
        { payer: name, plan: name },
        { payer: name, plan: gold.plan },
        { payer: gold.payer, plan: name },
        gold,
      ],
    })
    expect(error).toMatch(/^unsupported_fee_schedule: /)
    expect(error.split(`"${name.normalize('NFC')}"`).length).toBeGreaterThan(3)
  })

  it('is unknown to the list of fee schedules by such a name, and that is all', async () => {
    const lists = await Promise.all(hostile.map(([, name]) => listFeeSchedules(`?payer=${encodeURIComponent(name)}`)))
    for (const list of lists) expect(list).toEqual({ fee_schedules: [], next_cursor: null })
  })
})

describe('billing codes', () => {
  const codes = hostile.map(([, name]) => [...name].slice(0, 30).join(''))

  it('of any characters beside a good one find the rows of the good one', async () => {
    const search = await completeSearch({ billing_codes: [...codes, '27447'], fee_schedules: [gold] })
    expect(await readResult(search)).toEqual(describeRows(findSampleRows({ codes: ['27447'], plans: [gold] })))
  })

  it('of any characters find nothing by themselves', async () => {
    expect(await readResult(await completeSearch({ billing_codes: codes, fee_schedules: [gold] }))).toEqual([])
  })
})
