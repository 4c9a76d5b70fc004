import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommandLine } from './run-command-line.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'wrong-installations-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

const file = 'local/samples/summit-ridge-select-dental.json'

describe('a data folder', () => {
  it.each([
    ['load', [file]],
    ['fee-schedules', ['list']],
    ['fee-schedules', ['clean']],
    ['keys', ['list']],
    ['keys', ['create-organization', 'Acme']],
  ])('must exist for %s %j, which does not create it', async (command, args) => {
    const missing = join(folder, 'missing')
    const { output, errors, exitCode } = await runCommandLine(command, [...args, '--data', missing])
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 1 })
    expect(errors).toBe(
      `error: the data folder ${missing} does not exist: name another with --data, or create it with npm start -- --data ${missing} or, without samples, npm run load -- --data ${missing} --create\n`,
    )
    expect(await readdir(folder)).toEqual([])
  })

  it('on which no service has been started is refused and left unchanged', async () => {
    writeFileSync(join(folder, 'notes.txt'), '')
    const { errors, exitCode } = await runCommandLine('fee-schedules', ['list', '--data', folder])
    expect(errors).toMatch(/^error: the data folder \S+ is not a data folder of the local service: [^\n]+\n$/)
    expect(exitCode).toBe(1)
    expect(await readdir(folder)).toEqual(['notes.txt'])
  })

  it('whose rates an earlier version stored is refused in one line', async () => {
    mkdirSync(join(folder, 'warehouse', 'negotiated_rates', 'source_id=1'), { recursive: true })
    const { errors, exitCode } = await runCommandLine('start', ['--port', '0', '--data', folder])
    const warehouse = join(folder, 'warehouse')
    const way = 'remove that folder and load them again, or use --data'
    expect(errors).toBe(`error: an earlier version stored the rates in ${warehouse}: ${way}\n`)
    expect(exitCode).toBe(1)
  })

  it.each(['start', 'athena', 'samples/demo'])('ends %s with one line if it cannot be created', async (command) => {
    const { output, errors, exitCode } = await runCommandLine(command, ['--data', '/proc/x'])
    expect(output).not.toContain('is running at')
    expect(errors).toMatch(/^error: nothing can be stored in \/proc\/x[^\n]*\n$/)
    expect(exitCode).toBe(1)
  })
})

describe('load', () => {
  it('refuses wrong URLs, folders and missing files, all in one line and without query strings', async () => {
    const wrong = ['http://example.com/rates.json.gz?signature=secret', 's3://bucket/rates.json', folder, 'none.json']
    const { errors, exitCode } = await runCommandLine('load', [...wrong, file, '--toc', 'toc.json'])
    expect(exitCode).toBe(1)
    expect(errors).toBe(
      `error: ${[
        'toc.json does not exist',
        'http://example.com/rates.json.gz?… is not an https address',
        's3://bucket/rates.json is not fetched: download it (aws s3 cp), then load the file',
        `${folder} is a folder: name the files in it, such as ${folder}/*.json.gz`,
        'none.json does not exist',
      ].join('; ')}\n`,
    )
  })
})

describe('without a terminal', () => {
  it.each(['deploy', 'destroy'])('%s does nothing and asks for --yes', async (command) => {
    const { output, errors, exitCode } = await runCommandLine(command, ['--stage', 'dev'])
    expect({ output, exitCode }).toEqual({ output: '', exitCode: 2 })
    expect(errors).toBe(
      `error: without a terminal, ${command} cannot ask for approval: use --yes to give it (see --help)\n`,
    )
  })
})

describe('without settings of the AWS SDK', () => {
  const none = { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined, AWS_PROFILE: undefined, HOME: '/nonexistent' }
  const noKeys = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined, AWS_EC2_METADATA_DISABLED: 'true' }

  it.each([
    ['keys', ['list', '--stage', 'dev']],
    ['load', [file, '--stage', 'dev']],
    ['deploy', ['--yes']],
    ['check-warehouse', ['--database', 'rates']],
  ])('%s %j says how to set a region', async (command, args) => {
    const { errors, exitCode } = await runCommandLine(command, args, { ...none, ...noKeys })
    expect(errors).toBe('error: Region is missing: set AWS_REGION, or a region in your AWS profile\n')
    expect(exitCode).toBe(1)
  })

  it('says how to set credentials', async () => {
    const { errors } = await runCommandLine('keys', ['list', '--table', 'x'], {
      ...none,
      ...noKeys,
      AWS_REGION: 'us-east-1',
    })
    expect(errors).toMatch(/^error: Could not load credentials from any providers: set AWS_PROFILE, [^\n]+\n$/)
  })
})
