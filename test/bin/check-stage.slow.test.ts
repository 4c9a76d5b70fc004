import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { startDeployedStacks } from '../doubles/deployed-stacks.ts'
import { startHttpStub } from '../doubles/http-stub.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { environment } = connectEndpoints()

async function checkEmulator(variables: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, ['bin/check-warehouse.ts', '--stage', 'emulator'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...variables },
  })
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { errors, exitCode }
}

describe('npm run check-warehouse -- --stage', () => {
  it('reads a deployed stage with the permissions of its searches, and says which are missing', async () => {
    const role = 'arn:aws:iam::000000000000:role/WarehouseReader'
    // The bucket for query results exists.
    await using s3 = await startHttpStub(() => ({ status: 200, body: '' }))
    await using cloudFormation = await startDeployedStacks({ 'SearchService-emulator': { WarehouseReaderRole: role } })
    const reason = 'User is not authorized to perform: glue:GetTable on resource: database/shared'
    await using athena = await startHttpStub(({ operation }) => ({
      status: 200,
      body: JSON.stringify(
        operation === 'StartQueryExecution'
          ? { QueryExecutionId: 'query' }
          : { QueryExecution: { Status: { State: 'FAILED', StateChangeReason: reason } } },
      ),
    }))
    const { errors, exitCode } = await checkEmulator({
      ...environment,
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
      AWS_ENDPOINT_URL_S3: s3.url,
      AWS_ENDPOINT_URL_ATHENA: athena.url,
    })
    expect(errors).toBe(
      `error: ${reason}; searches may read the databases, dataLocations and keyArns that the stage file names: add what is missing, then deploy\n`,
    )
    expect(exitCode).toBe(1)
    // A session token proves that the role was assumed: this machine's own credentials have none.
    for (const { headers } of athena.calls) expect(headers['x-amz-security-token']).toMatch(/./)
    expect(athena.calls.length).toBeGreaterThan(1)
  })

  it("notes that it reads with the caller's permissions if the stage is not deployed", async () => {
    // The bucket for query results exists.
    await using s3 = await startHttpStub(() => ({ status: 200, body: '' }))
    await using cloudFormation = await startDeployedStacks({})
    const { errors } = await checkEmulator({
      ...environment,
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
      AWS_ENDPOINT_URL_S3: s3.url,
    })
    expect(errors).toMatch(/^note: the stage emulator is not deployed here, so this reads with your own permissions/)
  })
})
