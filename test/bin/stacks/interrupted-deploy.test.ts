import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { startCloudFormation } from '../../doubles/deployed-stacks.ts'

const checkout = mkdtempSync(join(tmpdir(), 'interrupted-'))
afterAll(() => rmSync(checkout, { recursive: true }))

/** A CDK that deploys until it is stopped. */
const cdk = join(checkout, 'node_modules/aws-cdk/bin')
mkdirSync(cdk, { recursive: true })
writeFileSync(join(cdk, 'cdk'), "process.stderr.write('deploying\\n'); setInterval(() => {}, 1000)")

/** The end of `npm run deploy`, with that CDK. */
const program = `
  import { runCdk } from '${join(process.cwd(), 'bin/stacks/run-cdk.ts')}'
  import { explainEnd } from '${join(process.cwd(), 'bin/stacks/require-deployable.ts')}'
  import { runCommand } from '${join(process.cwd(), 'bin/command/run-command.ts')}'
  await runCommand('', () =>
    runCdk(['deploy'], 'shown', '${checkout}').catch(async (error) => {
      throw await explainEnd(error, 'blue', '--stage blue')
    }),
  )`

/** Sends SIGINT to a deploy while its CDK is running, and returns what it says then. */
async function interrupt(status: string) {
  await using cloudFormation = await startCloudFormation({ 'SearchService-blue': { status } })
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local', AWS_REGION: 'eu-central-1' },
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    },
  })
  child.stderr.once('data', () => child.kill('SIGINT'))
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { errors, exitCode }
}

describe('Ctrl-C during a deploy', () => {
  it('says that CloudFormation continues, and the commands to watch and to cancel that', async () => {
    const { errors, exitCode } = await interrupt('UPDATE_IN_PROGRESS')
    expect(errors).toBe(`deploying
SearchService-blue UPDATE_IN_PROGRESS: CloudFormation is updating it
  watch it: aws cloudformation describe-stack-events --stack-name SearchService-blue --output text --query 'StackEvents[:10].[Timestamp, LogicalResourceId, ResourceStatus, ResourceStatusReason]'
  cancel it: aws cloudformation cancel-update-stack --stack-name SearchService-blue
error: cdk deploy was stopped by Ctrl-C, but CloudFormation continues what it has begun: see the commands above
`)
    expect(exitCode).toBe(1)
  })

  it('says that nothing is changing if CloudFormation has not begun', async () => {
    const { errors, exitCode } = await interrupt('UPDATE_COMPLETE')
    expect(errors).toBe('deploying\nerror: cdk deploy was stopped by Ctrl-C, and CloudFormation is changing nothing\n')
    expect(exitCode).toBe(1)
  })
})
