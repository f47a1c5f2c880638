// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// The parts of Multicall3 that x402 facilitators and viem call. It has the same address on every
/// chain. Without it a facilitator knows that a payment would fail, but not why.
contract TestMulticall {
    struct Call {
        address target;
        bytes callData;
    }

    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    function tryAggregate(bool requireSuccess, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = run(calls[i].target, calls[i].callData, !requireSuccess);
        }
    }

    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = run(calls[i].target, calls[i].callData, calls[i].allowFailure);
        }
    }

    function run(address target, bytes calldata data, bool mayFail) private returns (Result memory result) {
        (result.success, result.returnData) = target.call(data);
        require(result.success || mayFail, "Multicall3: call failed");
    }
}
