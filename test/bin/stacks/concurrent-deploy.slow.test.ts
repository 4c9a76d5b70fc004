import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { synthesise } from '../../templates/templates.ts'
import { runOnAccount } from './run-on-account.ts'

const template = readFileSync(join(synthesise(requireStage('dev')).folder, 'SearchService.template.json'), 'utf8')

it('refuses a deploy if another machine has begun one since the comparison', async () => {
  const { errors, exitCode } = await runOnAccount('deploy', ['--stage', 'dev', '--yes'], {
    stacks: { 'SearchService-dev': { template, statusAfterRead: 'UPDATE_IN_PROGRESS' } },
  })
  expect(errors).toContain(
    '\nNo setting changes\nSearchService-dev UPDATE_IN_PROGRESS: CloudFormation is updating it\n',
  )
  expect(errors).toMatch(
    /\nerror: nothing was deployed, because another deploy of the stage dev has begun meanwhile: run this one again after it\n$/,
  )
  expect(exitCode).toBe(1)
})
