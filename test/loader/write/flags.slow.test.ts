import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { selectStatement } from '../../../core/search/statement.ts'
import { generateInNetworkFile } from '../../bench/loader/generate-in-network-file.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'

/** The SQL of each flag in docs/result-values.md, with the file of a row or price. */
async function readRules(): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(import.meta.dirname, '../../../docs/result-values.md'), 'utf8')
  const section = text.split(/^## /m).find((each) => each.startsWith('Flags')) ?? ''
  const lines = [...section.matchAll(/^\| `(\w+)` \| [^|]* \| `(.*)` \|$/gm)]
  const [, alike = ''] = /`alike` is\s+`\((PARTITION BY [^`]*)\)`/.exec(section) ?? []
  const [, same = ''] = /`same` is\s+`\((PARTITION BY [^`]*)\)`/.exec(section) ?? []
  const rules = lines.map(([, flag = '', sql = '']) => {
    const inFile = sql.replaceAll('OVER alike', `OVER (${alike})`).replaceAll('PARTITION BY', 'PARTITION BY source_id,')
    return [flag, inFile.replaceAll('OVER same', `OVER (${same})`)]
  })
  return Object.fromEntries(rules)
}

const amounts = ['0', '0.01', '1', '1.00', '9999', '99999.99', '999999999.9', '999.99', '99990', '0.1', '1e12']

/** Sets some amounts and dates of a file. */
function makeOdd(text: string): string {
  let count = 0
  const next = () => (Math.imul(++count, 0x9e_37_79_b1) >>> 8) % 1000
  return text
    .replace(/"negotiated_rate": ?[\d.]+/g, (published) => {
      const at = next()
      if (at < 200) return '"negotiated_rate":77.77'
      return at < 200 + amounts.length ? `"negotiated_rate":${amounts[at - 200]}` : published
    })
    .replace(/"expiration_date": ?"[^"]*"/g, (published) =>
      next() < 50 ? '"expiration_date":"2020-01-01"' : published,
    )
}

it('flags a million rows as the SQL in the documentation does', async () => {
  await using warehouse = await createTestWarehouse()
  const path = await warehouse.write('rates.json', '')
  await generateInNetworkFile(path, { megabytes: 5, groups: 'referenced', largeItem: 0, seed: 3 })
  const text = makeOdd(await readFile(path, 'utf8'))
  const [first, second] = [
    await warehouse.write('first.json', text),
    await warehouse.write('second.json', text.replace(/"negotiated_rate":(\d*[02468])\b/g, '"negotiated_rate":1$1')),
  ]
  await warehouse.load({ files: [first, second] })
  const [entry] = warehouse.listNames()
  const contentId = entry?.state.status === 'active' ? entry.state.contentId : ''
  const feeSchedules = [{ payer: entry?.payer ?? '', plan: entry?.plan ?? '' }]
  const searched = `(SELECT * FROM rates WHERE content_id = '${contentId}' AND plan = '${entry?.plan}')`
  const search = selectStatement({ feeSchedules }, { contents: [contentId] })
  const rules = await readRules()
  const flags = Object.keys(rules).sort()
  expect(flags).toEqual(['blanket', 'expired', 'outlier_high', 'outlier_low', 'placeholder'])
  const price =
    'source_id, price_id, billing_code_type, billing_code, rate_unit, billing_class, setting, negotiated_rate'
  const row = 'price_id, npi, tin_type, tin_value, tin_business_name, provider_group_id, network_name, flags'
  const compared = `
    WITH found AS MATERIALIZED (SELECT ${row} FROM (${search})),
    prices AS (SELECT DISTINCT ${price} FROM ${searched} WHERE NOT (${rules['placeholder']})),
    outliers AS (SELECT source_id, price_id, ${rules['outlier_high']} AS high, ${rules['outlier_low']} AS low FROM prices),
    judged AS (
      SELECT *, ${['blanket', 'expired', 'placeholder'].map((flag) => `${rules[flag]} AS is_${flag}`).join(', ')}
      FROM ${searched}),
    expected AS MATERIALIZED (
      SELECT ${row.replace(
        /flags$/,
        `nullif([flag FOR flag IN [
        CASE WHEN is_blanket THEN 'blanket' END, CASE WHEN is_expired THEN 'expired' END,
        CASE WHEN high THEN 'outlier_high' END, CASE WHEN low THEN 'outlier_low' END,
        CASE WHEN is_placeholder THEN 'placeholder' END
      ] IF flag IS NOT NULL], []) AS flags`,
      )}
      FROM judged LEFT JOIN outliers USING (source_id, price_id))`
  const counts = await warehouse.query(`${compared} SELECT flag, count(*) AS rows FROM (
    SELECT unnest(flags) AS flag FROM found) GROUP BY ALL ORDER BY ALL`)
  expect(counts.map(({ flag }) => flag)).toEqual(expect.arrayContaining(flags))
  for (const { rows } of counts) expect(Number(rows)).toBeGreaterThan(1000)
  const differences = await warehouse.query(`${compared} SELECT
    (SELECT count(*) FROM found) AS rows,
    (SELECT count(*) FROM (FROM found EXCEPT ALL FROM expected)) AS wrong,
    (SELECT count(*) FROM (FROM expected EXCEPT ALL FROM found)) AS missing`)
  expect(differences).toMatchObject([{ wrong: '0', missing: '0' }])
  expect(Number(differences[0]?.['rows'])).toBeGreaterThan(1_000_000)
}, 600_000)
