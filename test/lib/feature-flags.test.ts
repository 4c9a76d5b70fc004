import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api'
import { expect, it } from 'vitest'
import { createApp } from '../../lib/synthesise.ts'
import { readText } from '../templates/source-files.ts'

const { context }: { readonly context: Readonly<Record<string, unknown>> } = JSON.parse(readText('cdk.json'))

it('decides every feature flag that the CDK recommends in cdk.json, three of them otherwise (docs/adr/0024)', () => {
  expect(Object.keys(context).sort()).toEqual(Object.keys(CURRENTLY_RECOMMENDED_FLAGS).sort())
  const recommended: Readonly<Record<string, unknown>> = CURRENTLY_RECOMMENDED_FLAGS
  const otherwise = Object.entries(context).filter(
    ([flag, value]) => JSON.stringify(value) !== JSON.stringify(recommended[flag]),
  )
  expect(otherwise).toEqual([
    ['@aws-cdk/aws-ec2:restrictDefaultSecurityGroup', false],
    ['@aws-cdk/core:defaultCrossStackReferences', 'strong'],
    ['@aws-cdk/core:target-partitions', ['aws', 'aws-cn', 'aws-us-gov']],
  ])
})

it('gives the flags of cdk.json to the apps of tests, the local service and deployments', () => {
  const { node } = createApp()
  for (const [flag, value] of Object.entries(context)) expect(node.tryGetContext(flag)).toEqual(value)
})
