import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { protectionKinds } from '../../../lib/protections/losses.ts'
import { guarded } from '../../templates/templates.ts'
import { changedData, dataLines } from './changed-data.ts'
import { runOnAccount } from './run-on-account.ts'

const folder = mkdtempSync(join(tmpdir(), 'weaker-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** Another settings file of the name of the deployed stage. */
const file = join(folder, 'dev.json')
writeFileSync(file, '{ "disposable": true }')

const template = readFileSync(join(guarded().folder, 'SearchService.template.json'), 'utf8')
const stacks = { 'SearchService-dev': { isProtected: true, template } }
const deploy = (...args: readonly string[]) =>
  runOnAccount('deploy', ['--stage-file', file, '--yes', ...args], { stacks })

const kinds = [
  'termination-protection',
  'retention',
  'encryption',
  'deletion-protection',
  'alarm-targets',
  'access-log',
  'alarms',
  'budget',
  'versioning',
]

it('refuses a deploy with another settings file of the same stage before anything changes, also with --yes', async () => {
  const { errors, exitCode, actions } = await deploy()
  expect(errors).toMatch(/^Compared with what is deployed, this takes away or weakens:$/m)
  expect(errors).toMatch(/^ {2}termination-protection {2}on -> off: SearchService-dev$/m)
  expect(errors).toMatch(
    /^ {2}alarm-targets {11}3 -> 0: operator@example\.com, other@example\.com, arn:aws:sns:\S+:paging$/m,
  )
  const [, allow = ''] =
    /\nerror: nothing was deployed, because --stage-file \S+ is weaker than what is deployed: .* --allow (\S+)\n$/.exec(
      errors,
    ) ?? []
  expect(allow.split(',').sort()).toEqual(kinds.toSorted())
  expect(exitCode).toBe(1)
  expect(new Set(actions)).toEqual(new Set(['DescribeStacks', 'GetTemplate']))
})

it('refuses a deploy that may weaken only some of the protections', async () => {
  const { errors } = await deploy('--allow', kinds.slice(1).join())
  expect(errors).toContain('error: nothing was deployed')
})

it('passes a deploy that may weaken all of them to the CDK', async () => {
  const { errors } = await deploy('--allow', kinds.join())
  expect(errors).toContain('termination-protection  on -> off')
  expect(errors).toMatch(/error: cdk deploy ended with exit code 1\n$/)
})

it.each(changedData)(
  'refuses a renamed construct, a dropped table and another key schema in a stage of version %s',
  async (_, deployed) => {
    const allow = Object.keys(protectionKinds).filter((kind) => kind !== 'data')
    const args = ['--stage-file', file, '--yes', '--allow', allow.join()]
    const { errors, exitCode, actions } = await runOnAccount('deploy', args, { stacks: deployed })
    for (const line of dataLines) expect(errors).toContain(line)
    expect(errors).toMatch(/\nerror: nothing was deployed, .* --allow \S*data\S*\n$/)
    expect(exitCode).toBe(1)
    expect(new Set(actions)).toEqual(new Set(['DescribeStacks', 'GetTemplate']))
  },
)
