import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { DeployedStack } from '../../../adapters/cloudformation/cfn-deployed-stacks.ts'
import { chooseZones } from '../../../bin/stacks/choose-zones.ts'
import { runsFargate } from '../../../lib/stage/fargate-zones.ts'
import { loaded, loadedStage, type Synthesised, synthesise } from '../../templates/templates.ts'

/** The zones of a region as an account sees them: its letters are those of the account alone. */
const zonesOf = (...ids: readonly string[]) => ids.map((id, index) => ({ id, name: `here-1${'abcdef'.charAt(index)}` }))

const virginia = zonesOf('use1-az3', 'use1-az6', 'use1-az1', 'use1-az2', 'use1-az5', 'use1-az4')

const stackIn = (status: string): DeployedStack => ({
  ...{ name: 'SearchService-dev', id: 'arn', status, createdAt: new Date(0), isProtected: false, outputs: {} },
})

const templateOf = ({ folder }: Synthesised) => readFileSync(join(folder, 'SearchService.template.json'), 'utf8')

/** Chooses for a stage that is deployed with a template, or that is new. */
const choose = (
  zones: ReturnType<typeof zonesOf> | Error,
  {
    template,
    status = 'UPDATE_COMPLETE',
    stage = loadedStage,
  }: {
    readonly template?: string
    readonly status?: string
    readonly stage?: Parameters<typeof chooseZones>[0]
  } = {},
) =>
  chooseZones(stage, template === undefined ? [] : [stackIn(status)], {
    readTemplate: async () => template ?? '',
    listZones: async () => {
      if (zones instanceof Error) throw zones
      return zones
    },
  })

const x86Stage = { ...loadedStage, loads: { ...loadedStage.loads, architecture: 'x86_64' } } as const

describe('the zones of a new network of loads', () => {
  it('include the first three by their ids that have Fargate for the architecture', async () => {
    expect(await choose(virginia)).toEqual({
      zones: ['use1-az1', 'use1-az2', 'use1-az4'],
      notes: ['loads run in the zones use1-az1, use1-az2, use1-az4'],
    })
    expect((await choose(virginia, { stage: x86Stage })).zones).toEqual(['use1-az1', 'use1-az2', 'use1-az3'])
  })

  it.each([
    ['us-west-1', ['usw1-az1', 'usw1-az3'], ['usw1-az1', 'usw1-az3']],
    ['Tokyo', ['apne1-az4', 'apne1-az1', 'apne1-az2', 'apne1-az3'], ['apne1-az1', 'apne1-az2', 'apne1-az4']],
    ['Osaka', ['apne3-az3', 'apne3-az1', 'apne3-az2'], ['apne3-az1']],
    ['Frankfurt', ['euc1-az2', 'euc1-az3', 'euc1-az1'], ['euc1-az1', 'euc1-az2', 'euc1-az3']],
    ['a region that is newer than the tables', ['xxs1-az1', 'xxs1-az2'], ['xxs1-az1', 'xxs1-az2']],
  ])('include fewer where a region has fewer: %s', async (_, ids, zones) => {
    expect((await choose(zonesOf(...ids))).zones).toEqual(zones)
  })

  it('do not exist in a region without Arm, and the error names both settings that help', async () => {
    await expect(choose(zonesOf('afs1-az1', 'afs1-az2', 'afs1-az3'))).rejects.toThrow(
      /^the stage dev cannot run loads here: no zone of the region is known to have Fargate for arm64 \(.*\); set "architecture": "x86_64" in loads, or "zones" of loads to those that have it$/,
    )
    expect((await choose(zonesOf('afs1-az1', 'afs1-az2'), { stage: x86Stage })).zones).toEqual(['afs1-az1', 'afs1-az2'])
  })

  it('replace those of a first deploy that failed', async () => {
    const template = templateOf(loaded())
    expect((await choose(virginia, { template, status: 'ROLLBACK_COMPLETE' })).zones).toHaveLength(3)
  })

  it('stay with CloudFormation, with a note, if they cannot be read', async () => {
    expect(await choose(new Error('not authorized'))).toEqual({
      notes: [
        'the zones of the region are unknown: not authorized (ec2:DescribeAvailabilityZones); the network of loads gets the first two zones of the account',
      ],
    })
  })

  it('come from the stage file, or from nowhere without loads, before any look at the account', async () => {
    const named = { ...loadedStage, loads: { ...loadedStage.loads, zones: ['use1-az3'] } }
    const { loads: _, ...without } = loadedStage
    for (const stage of [named, without]) expect(await choose(new Error('not asked'), { stage })).toEqual({ notes: [] })
  })
})

describe('the zones of a deployed network of loads', () => {
  it('stay those by their names that version 0.3.0 has, with a note if one may lack Fargate for the architecture', async () => {
    const template = templateOf(loaded())
    expect(await choose(zonesOf('use1-az1', 'use1-az2', 'use1-az3'), { template })).toEqual({ notes: [] })
    const { zones, notes } = await choose(virginia, { template })
    expect(zones).toBeUndefined()
    expect(notes).toEqual([
      expect.stringMatching(/^the network of loads is in use1-az3, which may have no Fargate for arm64 /),
    ])
    expect(await choose(new Error('no'), { template })).toEqual({
      notes: [expect.stringContaining('stays in its zones')],
    })
  })

  it('stay those that an earlier deploy has chosen, whatever the region has now', async () => {
    const zones = ['use1-az6', 'use1-az2']
    const template = templateOf(synthesise({ ...loadedStage, loads: { ...loadedStage.loads, zones } }))
    expect(await choose(virginia, { template })).toEqual({ zones, notes: [] })
  })

  it('get chosen when a deployed stage gets its first loads', async () => {
    const { loads: _, ...without } = loadedStage
    expect((await choose(virginia, { template: templateOf(synthesise(without)) })).zones).toHaveLength(3)
  })
})

describe('a zone', () => {
  it('supports Intel unless the guide leaves it out, and Arm more rarely', () => {
    for (const id of ['usw1-az2', 'apne1-az3', 'cnn1-az3'])
      expect([id, runsFargate(id, 'x86_64'), runsFargate(id, 'arm64')]).toEqual([id, false, false])
    for (const id of [
      'use1-az3',
      'apne3-az2',
      'apne3-az3',
      'mes1-az1',
      'afs1-az2',
      'usgw1-az1',
      'cnn1-az1',
      'cnnw1-az2',
    ])
      expect([id, runsFargate(id, 'x86_64'), runsFargate(id, 'arm64')]).toEqual([id, true, false])
    for (const id of ['use1-az1', 'use2-az3', 'apne3-az1', 'mec1-az1', 'cac1-az4'])
      expect([id, runsFargate(id, 'x86_64'), runsFargate(id, 'arm64')]).toEqual([id, true, true])
  })
})
