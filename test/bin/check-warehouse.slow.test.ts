import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { writeParquet } from '../local/athena/warehouse-fixture.ts'

/** Rates with only the required columns. */
const soundRates = `SELECT 'Acme Health' AS payer, 'Gold PPO' AS plan, 1000000000 + range AS npi, 'CPT' AS billing_code_type,
  '99213' AS billing_code, 12.5::DECIMAL(18,4) AS negotiated_rate, 'usd' AS rate_unit, 'negotiated' AS negotiated_type,
  'ffs' AS negotiation_arrangement, 'ein' AS tin_type, '012345678' AS tin_value FROM range(12000)`

async function openFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'check-warehouse-'))
  return {
    folder,
    write: (relation: string, select: string) => writeParquet(join(folder, 'warehouse', relation), select),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

async function check(...args: readonly string[]) {
  const child = spawn(process.execPath, ['bin/check-warehouse.ts', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { output, errors, exitCode }
}

describe('npm run check-warehouse', () => {
  it('lists the differences and succeeds if searches can read the relations', async () => {
    await using own = await openFolder()
    await own.write('rates', soundRates)
    await own.write('fee_schedules', "SELECT 'Acme Health' AS payer, 'Gold PPO' AS plan")
    const { output, exitCode } = await check('--data', own.folder)
    expect(output).toContain('different  price_id is missing: NULL in results\n')
    expect(output).not.toMatch(/wrong|fee_schedules/)
    expect(exitCode).toBe(0)
  })

  it('refuses a folder without rates, also one into which npm run load has loaded', async () => {
    await using own = await openFolder()
    await own.write('negotiated_rates', 'SELECT 1 AS price_id')
    const { output, errors, exitCode } = await check('--data', own.folder)
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
    expect(errors).toBe(
      `error: there are no Parquet files in ${own.folder}/warehouse/rates: put those of your relation rates there\n`,
    )
  })

  it('exits with 1 if no search would find a row, from a sample of 10,000 rows', async () => {
    await using own = await openFolder()
    await own.write('rates', `SELECT * REPLACE ('Gold  PPO' AS plan) FROM (${soundRates})`)
    const { output, errors, exitCode } = await check('--data', own.folder)
    expect(output).toMatch(/^wrong {6}plan is not in the form .*: in 10000 of 10000 rows, the first "Gold {2}PPO"$/m)
    expect(output).toMatch(/^different {2}fee_schedules cannot be read: TABLE_NOT_FOUND/m)
    expect(errors).toBe(`Read from the data folder ${own.folder}\nerror: 1 difference is wrong\n`)
    expect(exitCode).toBe(1)
  })

  it('runs a search and reports why Athena cannot run it', async () => {
    await using own = await openFolder()
    await own.write('rates', `SELECT *, 'never' AS expiration_date FROM (${soundRates})`)
    const { output, exitCode } = await check('--data', own.folder)
    expect(output).toMatch(/^wrong {6}a search for the first row fails: INVALID_CAST_ARGUMENT/m)
    expect(exitCode).toBe(1)
  })

  it('refuses a folder that does not exist, and does not create it', async () => {
    await using own = await openFolder()
    const missing = join(own.folder, 'missing')
    const { output, errors, exitCode } = await check('--data', missing)
    expect({ output, errors, exitCode }).toEqual({
      output: '',
      errors: `error: the folder ${missing}/warehouse does not exist: name the data folder that contains it with --data\n`,
      exitCode: 1,
    })
    expect(existsSync(missing)).toBe(false)
  })

  it('prints its differences as JSON, the wrong ones first', async () => {
    await using own = await openFolder()
    await own.write('rates', `SELECT * REPLACE ('Gold  PPO' AS plan) FROM (${soundRates})`)
    const { output, exitCode } = await check('--data', own.folder, '--json')
    const { data_folder, differences } = JSON.parse(output)
    expect(data_folder).toBe(own.folder)
    const weights = differences.map(({ weight }: { weight: string }) => weight)
    expect(weights.indexOf('different')).toBe(1)
    expect(weights.lastIndexOf('wrong')).toBe(0)
    expect(exitCode).toBe(1)
  })

  it.each([
    [[], 'give exactly one of --stage, --stage-file, --data and --database'],
    [['--stage', 'dev'], 'the stage dev has no own warehouse to check'],
    [['--stage', 'nowhere'], 'there is no stages/nowhere.json'],
  ])('refuses %j with exit code 2', async (args, complaint) => {
    const { errors, exitCode } = await check(...args)
    expect(errors).toContain(complaint)
    expect(exitCode).toBe(2)
  })
})
