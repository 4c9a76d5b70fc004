import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { protectionKinds } from '../../../lib/protections/losses.ts'
import type { ScriptedStack } from '../../doubles/deployed-stacks.ts'
import { guarded, loadedStage, synthesise as synthesiseStage } from '../../templates/templates.ts'
import { changedData, dataLines } from './changed-data.ts'
import { runOnAccount } from './run-on-account.ts'

const folder = mkdtempSync(join(tmpdir(), 'guard-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** A settings file of the name of the deployed stage, without its encryption key. */
const stageFile = join(folder, 'dev.json')
writeFileSync(stageFile, '{ "accessLog": true }')

const template = readFileSync(join(guarded().folder, 'SearchService.template.json'), 'utf8')
const stacks = { 'SearchService-dev': { isProtected: true, template } }

/** The end of each refusal, because `cdk diff` synthesises as well. */
const lookOnly = '\nTo only look at the change with cdk diff, add -c compare=off\n'

const losses = ['alarm-targets', 'alarms', 'budget', 'encryption']

/** Synthesises as a bare `cdk deploy` does, with the account of its credentials. */
const synthesise = (
  context: object,
  account = '111122223333',
  deployed: Readonly<Record<string, ScriptedStack>> = stacks,
  CDK_OUTDIR = mkdtempSync(join(folder, 'assembly-')),
) =>
  runOnAccount(
    'app',
    [],
    { stacks: deployed },
    {
      CDK_OUTDIR,
      CDK_VALIDATION: 'false',
      CDK_CONTEXT_JSON: JSON.stringify({ stageFile, ...context }),
      CDK_DEFAULT_ACCOUNT: account,
    },
  )

describe('the zones of loads in a bare cdk deploy', () => {
  const loadsFile = join(folder, 'loads', 'dev.json')
  mkdirSync(join(folder, 'loads'))
  writeFileSync(loadsFile, '{ "disposable": true, "loads": {} }')
  const readZones = (assembly: string) => {
    const { Resources } = JSON.parse(readFileSync(join(assembly, 'SearchService.template.json'), 'utf8'))
    return Object.values<{ Type: string; Properties: { AvailabilityZoneId?: string } }>(Resources).flatMap(
      ({ Type, Properties }) => (Type === 'AWS::EC2::Subnet' ? [Properties.AvailabilityZoneId] : []),
    )
  }

  it('stay those of the deployed network, also where the account says nothing about zones', async () => {
    const zones = ['euc1-az3', 'euc1-az1']
    const { folder: deployed } = synthesiseStage({ ...loadedStage, loads: { ...loadedStage.loads, zones } })
    const text = readFileSync(join(deployed, 'SearchService.template.json'), 'utf8')
    const CDK_OUTDIR = mkdtempSync(join(folder, 'assembly-'))
    const context = { stageFile: loadsFile, allow: losses.join() }
    const { exitCode } = await synthesise(context, undefined, { 'SearchService-dev': { template: text } }, CDK_OUTDIR)
    expect([exitCode, readZones(CDK_OUTDIR)]).toEqual([0, zones])
  })

  it('come from CloudFormation with a note in a new stage whose zones cannot be read', async () => {
    const CDK_OUTDIR = mkdtempSync(join(folder, 'assembly-'))
    const { errors, exitCode } = await synthesise({ stageFile: loadsFile }, undefined, {}, CDK_OUTDIR)
    expect(errors).toMatch(
      /^note: the zones of the region are unknown: .*; the network of loads gets the first two zones/m,
    )
    expect([exitCode, readZones(CDK_OUTDIR)]).toEqual([0, [undefined, undefined]])
  })

  it('refuse a deploy that cannot see where the deployed network is, because it would be replaced unnoticed', async () => {
    const { errors, exitCode } = await synthesise({ stageFile: loadsFile }, '999999999999')
    expect(errors).toMatch(
      /^error: the zones of the network of loads cannot be read: the command of the CDK works in the account 999999999999, .*; use npm run deploy, or name them with "zones" of loads in the stage file$/m,
    )
    expect(exitCode).toBe(1)
  })
})

describe('the synthesis of a bare cdk deploy', () => {
  it('shows the settings that change, and refuses to weaken what is deployed', async () => {
    const { errors, exitCode } = await synthesise({})
    expect(errors).toMatch(/^Settings that change:\n(?: {2}.*\n)* {2}encryptionKeyArn +"arn:\S+" -> none$/m)
    expect(errors).toMatch(/^ {2}encryption {14}arn:aws:kms:\S+ -> keys of AWS: /m)
    const [, allow = ''] = /^error: nothing was deployed, .* with -c allow=(\S+)\n/m.exec(errors) ?? []
    expect(allow.split(',').sort()).toEqual(losses)
    expect(errors).toContain(lookOnly)
    expect(exitCode).toBe(1)
  })

  it('passes if the losses are allowed by their names, or if the comparison is switched off', async () => {
    const allowing = await synthesise({ allow: losses.join() })
    expect(allowing.errors).toContain('this takes away or weakens')
    expect(allowing.exitCode).toBe(0)
    const blind = await synthesise({ compare: 'off' })
    expect(blind).toMatchObject({ errors: '', exitCode: 0, actions: [] })
  })

  it.each(changedData)(
    'refuses a renamed construct, a dropped table and another key schema in a stage of version %s',
    async (_, deployed) => {
      const allow = Object.keys(protectionKinds).filter((kind) => kind !== 'data')
      const { errors, exitCode } = await synthesise({ allow: allow.join() }, undefined, deployed)
      for (const line of dataLines) expect(errors).toContain(line)
      expect(errors).toMatch(/^error: nothing was deployed, .* with -c allow=\S*data/m)
      expect(exitCode).toBe(1)
    },
  )

  it('refuses a protected stage whose creation has failed, with the command that is safe to run next', async () => {
    const failed = { 'SearchService-dev': { isProtected: true, status: 'ROLLBACK_COMPLETE' } }
    const { errors, exitCode } = await synthesise({}, undefined, failed)
    expect(errors).toContain(
      'error: nothing was deployed, because of a failed creation:\nSearchService-dev ROLLBACK_COMPLETE: ',
    )
    expect(errors).toContain(lookOnly)
    expect(errors).toContain('npm run deploy -- --stage dev --after-failed-creation')
    expect(exitCode).toBe(1)
  })

  it('says that it compared nothing if it cannot see the account of the CDK', async () => {
    const { errors, exitCode } = await synthesise({}, '999999999999')
    expect(errors).toBe(
      'note: the settings were not compared with the deployed stage: the command of the CDK works in the account 999999999999, and the settings of the AWS SDK say 111122223333\n',
    )
    expect(exitCode).toBe(0)
  })
})
