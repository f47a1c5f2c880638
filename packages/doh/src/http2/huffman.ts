/** Reads strings in the Huffman code of HPACK (RFC 7541 §5.2), four bits at a time. */

import { ERROR_CODE, Http2ConnectionError } from './http2-protocol.js'
import { HUFFMAN_CODE_LENGTHS } from './huffman-table.js'

const END_OF_STRING = 256
const LONGEST_CODE = 30
const LONGEST_PADDING = 7
const NO_SYMBOL = 0xffff
const DEAD_END = 0xffff

/** A place in the code's tree: what lies behind a 0 and behind a 1, each a place or a symbol. */
type Branch = Node | number
interface Node {
  readonly branches: Branch[]
  readonly number: number
  /** A string may end here: all bits since the last symbol are ones, and they are fewer than eight. */
  readonly mayEnd: boolean
}

const nodes: Node[] = []
const root = growTree()

/** For each place and each four bits: the place they lead to, and the symbol passed on the way. */
const nextNodes = new Uint16Array(nodes.length * 16)
const symbols = new Uint16Array(nodes.length * 16)
for (const node of nodes) {
  for (let bits = 0; bits < 16; bits++) fillStep(node, bits)
}

function addNode(depth: number, isAllOnes: boolean): Node {
  const node = { branches: [], number: nodes.length, mayEnd: isAllOnes && depth <= LONGEST_PADDING }
  nodes.push(node)
  return node
}

function growTree(): Node {
  const trunk = addNode(0, true)
  let code = 0
  for (let length = 1; length <= LONGEST_CODE; length++) {
    code *= 2
    HUFFMAN_CODE_LENGTHS.forEach((itsLength, symbol) => {
      if (itsLength === length) plant(trunk, code++, length, symbol)
    })
  }
  return trunk
}

function plant(trunk: Node, code: number, length: number, symbol: number): void {
  let node = trunk
  for (let depth = 1; depth < length; depth++) {
    const bits = code >>> (length - depth)
    const bit = bits & 1
    node.branches[bit] ??= addNode(depth, bits === 2 ** depth - 1)
    node = node.branches[bit] as Node
  }
  node.branches[code & 1] = symbol
}

/** No code is shorter than five bits, so four pass one symbol at most. */
function fillStep(from: Node, bits: number): void {
  const step = from.number * 16 + bits
  let node = from
  symbols[step] = NO_SYMBOL
  for (let shift = 3; shift >= 0; shift--) {
    const branch = node.branches[(bits >> shift) & 1] as Branch
    if (branch === END_OF_STRING) {
      nextNodes[step] = DEAD_END
      return
    }
    if (typeof branch === 'number') symbols[step] = branch
    node = typeof branch === 'number' ? root : branch
  }
  nextNodes[step] = node.number
}

/** Where texts are put together that are no longer than header fields are. */
const shortText = Buffer.alloc(4_096)

/** The string between `start` and `end`, one character per octet. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string {
  // The shortest codes have five bits.
  const room = Math.ceil(((end - start) * 8) / 5)
  const text = room <= shortText.length ? shortText : Buffer.allocUnsafe(room)
  let length = 0
  let node = 0
  for (let index = start; index < end; index++) {
    const octet = bytes[index] as number
    for (let shift = 4; shift >= 0; shift -= 4) {
      const step = node * 16 + ((octet >> shift) & 15)
      const symbol = symbols[step] as number
      if (symbol !== NO_SYMBOL) text[length++] = symbol
      node = nextNodes[step] as number
      if (node === DEAD_END)
        throw new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, 'a string has its end inside')
    }
  }
  if (!nodes[node]?.mayEnd)
    throw new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, 'a string is badly padded')
  return text.toString('latin1', 0, length)
}
