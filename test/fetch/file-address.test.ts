import { describe, expect, it } from 'vitest'
import { identifyAddress, identifyPath, nameOfFile, showAddress } from '../../fetch/file-address.ts'

const file = 'https://rates.example/2026/in-network.json.gz'

describe('the identity of a published file', () => {
  it.each([
    [
      'an S3 URL, Signature Version 4',
      'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a%2Fb&X-Amz-Date=20261101T000000Z&X-Amz-Expires=3600&X-Amz-SignedHeaders=host&X-Amz-Security-Token=t&X-Amz-Signature=0a&x-amz-checksum-mode=ENABLED&x-id=GetObject',
    ],
    ['an S3 URL, Signature Version 2', 'AWSAccessKeyId=a&Expires=1&Signature=b%3D'],
    ['a CloudFront URL with a canned policy', 'Expires=1&Signature=a~b&Key-Pair-Id=K'],
    ['a CloudFront URL with a custom policy', 'Policy=a&Signature=a~b&Key-Pair-Id=K&Hash-Algorithm=SHA256'],
    ['an Azure service SAS', 'sv=2024-11-04&sr=b&sp=r&st=2026-11-01&se=2026-12-01&spr=https&sig=a%3D'],
    [
      'an Azure user delegation SAS',
      'skoid=a&sktid=b&skt=c&ske=d&sks=b&skv=2024-11-04&sv=2024-11-04&sr=b&sp=r&se=e&sig=f',
    ],
    [
      'a Google Cloud Storage URL',
      'X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=a&X-Goog-Date=b&X-Goog-Expires=1&X-Goog-SignedHeaders=host&X-Goog-Signature=c',
    ],
    ['a Google Cloud Storage URL, V2', 'GoogleAccessId=a&Expires=1&Signature=b'],
  ])('excludes the signature of %s', (_title, query) => {
    expect(identifyAddress(`${file}?${query}`)).toBe(file)
    expect(identifyAddress(`${file}?part=2&${query}#top`)).toBe(`${file}?part=2`)
  })

  it.each([
    ['a parameter that chooses the file', `${file}?plan=gold`],
    ['a state in a parameter that a signature might have', `${file}?st=TX`],
    ['a version', `${file}?versionId=3`],
    ['a parameter that is not well encoded', `${file}?%=1`],
  ])('keeps %s', (_title, address) => {
    expect(identifyAddress(address)).toBe(address)
  })

  it('ignores case in scheme and host, and the default port', () => {
    expect(identifyAddress('HTTPS://Rates.Example:443/2026/in-network.json.gz')).toBe(file)
  })

  it('distinguishes paths with the same last segment', () => {
    const [gold, silver] = ['gold', 'silver'].map((folder) =>
      identifyAddress(`https://rates.example/${folder}/in-network.json`),
    )
    expect(gold).not.toBe(silver)
    expect(identifyPath('gold/in-network.json')).not.toBe(identifyPath('silver/in-network.json'))
  })

  it('equals the text if it is not a URL', () => {
    expect(identifyAddress(' gold/in-network.json ')).toBe('gold/in-network.json')
  })

  it('equals that of an equivalent spelling of a local path', () => {
    expect(identifyPath('./a/../b.json')).toBe(identifyPath(`${process.cwd()}/b.json`))
    expect(identifyPath('-')).toBe('-')
  })
})

describe('the name of a file', () => {
  it.each([
    'rates #2.json',
    'a?b.json',
    '100%.json',
    'a%41.json',
    "it's.json",
    '-a.json',
    'http:a.json',
    '#',
    'a\\b.json',
  ])('holds every character of a path: %s', (name) => {
    expect(nameOfFile(`/p #1/q ?x/50%/${name}`)).toBe(name)
    expect(nameOfFile(name)).toBe(name)
  })

  it('ends before the query or fragment of an address', () => {
    expect(nameOfFile('https://rates.example/2026/rates%20a.json?sig=1#top')).toBe('rates%20a.json')
  })
})

describe('an address in a message', () => {
  it.each([
    ['https://rates.example/a.json?sig=secret: is gone', 'https://rates.example/a.json?… is gone'],
    ['https://rates.example/a.json?…: is gone', 'https://rates.example/a.json?…: is gone'],
    [
      '(https://rates.example/a?b=1,sig=secret, HTTPS://rates.example/c#d)',
      '(https://rates.example/a?…, HTTPS://rates.example/c)',
    ],
    ['/tmp/a.json?b and https://rates.example/a.json', '/tmp/a.json?b and https://rates.example/a.json'],
  ])('shows no query string: %s', (text, shown) => {
    expect(showAddress(text)).toBe(shown)
  })
})
