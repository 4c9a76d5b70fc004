import { App, Stack } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { ServiceFunction } from '../../lib/functions/service-function.ts'
import { ResultsBucket } from '../../lib/storage/results-bucket.ts'
import { defaultStage } from '../templates/templates.ts'

describe('the role that download URLs are signed with', () => {
  it('is one for all functions that sign, and trusts each of them', () => {
    const stack = new Stack(new App(), 'Stack')
    const { signDownloads } = new ResultsBucket(stack, 'Results', defaultStage, 'https://rates.example')
    for (const name of ['get-search', 'list-fee-schedules'] as const)
      new ServiceFunction(stack, name, { uses: [signDownloads] })
    const template = Template.fromStack(stack)
    const [signer, ...others] = Object.entries(template.findResources('AWS::IAM::Role')).filter(([id]) =>
      id.startsWith('SignDownloads'),
    )
    expect(others).toEqual([])
    const trust = JSON.stringify(signer?.[1]['Properties'].AssumeRolePolicyDocument)
    expect(trust).toMatch(/GetSearchRole[0-9A-F]{8}/)
    expect(trust).toMatch(/ListFeeSchedulesRole[0-9A-F]{8}/)
    expect(() =>
      template.resourcePropertiesCountIs(
        'AWS::Lambda::Function',
        { Environment: { Variables: { SIGNING_ROLE_ARN: Match.anyValue(), RESULTS_BUCKET: Match.anyValue() } } },
        2,
      ),
    ).not.toThrow()
  })
})
